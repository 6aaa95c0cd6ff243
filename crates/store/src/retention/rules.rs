//! Which versions may go?

use jiff::{SignedDuration, Timestamp};

use crate::{Error, Result};

/// What is kept of a history. A version goes if every rule that is given lets it go; the latest never does, nor one that
/// a reader saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// So many of the newest versions stay.
    pub keep: Option<u32>,
    /// Versions stay that are not older.
    pub max_age: Option<SignedDuration>,
    /// Of the versions that are older than something, the last of every stretch of time stays.
    pub thin: Vec<Thinning>,
}

/// Of versions that are older than `older_than`, one stays `every` so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thinning {
    /// From which age on.
    pub older_than: SignedDuration,
    /// The last version of each such stretch stays.
    pub every: SignedDuration,
}

/// What the rules ask of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) number: u32,
    pub(crate) time: Timestamp,
    pub(crate) is_saved: bool,
}

impl Retention {
    pub(crate) fn check(&self) -> Result<()> {
        if self.keep.is_none() && self.max_age.is_none() && self.thin.is_empty() {
            return Err(Error::Invalid("no rule says what may go: give a count, an age or a thinning".into()));
        }
        if self.thin.iter().any(|thinning| thinning.every <= SignedDuration::ZERO) {
            return Err(Error::Invalid("a thinning needs a stretch of time longer than nothing".into()));
        }
        Ok(())
    }

    /// The numbers of those that go, of all versions of a page, oldest first.
    pub(crate) fn dropped(&self, versions: &[Dated], now: Timestamp) -> Vec<u32> {
        let lets_go = |(place, version): (usize, &Dated)| {
            let is_latest = place + 1 == versions.len();
            let from_newest = versions.len() - place;
            let age = now.duration_since(version.time);
            let by_count = self.keep.is_none_or(|keep| from_newest > keep as usize);
            let by_age = self.max_age.is_none_or(|most| age > most);
            let by_thinning = self.thin.is_empty() || self.is_thinned(versions, place, now);
            (!is_latest && !version.is_saved && by_count && by_age && by_thinning).then_some(version.number)
        };
        versions.iter().enumerate().filter_map(lets_go).collect()
    }

    /// Whether the next version is of the same stretch, by the rule for the oldest that the version is subject to.
    fn is_thinned(&self, versions: &[Dated], place: usize, now: Timestamp) -> bool {
        let age = now.duration_since(versions[place].time);
        let rule = self.thin.iter().filter(|rule| age > rule.older_than).max_by_key(|rule| rule.older_than);
        let (Some(rule), Some(next)) = (rule, versions.get(place + 1)) else { return false };
        let stretch = |time: Timestamp| time.as_millisecond().div_euclid(rule.every.as_millis().max(1) as i64);
        stretch(versions[place].time) == stretch(next.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;

    fn hours(hours: i64) -> SignedDuration {
        SignedDuration::from_hours(hours)
    }

    /// Versions 1, 2 … at some hours, of which some are saved, a hundred hours after the first moment.
    fn check(rules: &Retention, at_hours: &[i64], saved: &[u32], expected: &[u32]) {
        let version = |(place, hour): (usize, &i64)| {
            let number = place as u32 + 1;
            let time = Timestamp::from_second(hour * HOUR).expect("a time");
            Dated { number, time, is_saved: saved.contains(&number) }
        };
        let versions: Vec<Dated> = at_hours.iter().enumerate().map(version).collect();
        let now = Timestamp::from_second(100 * HOUR).expect("a time");
        assert_eq!(rules.dropped(&versions, now), expected, "{rules:?} {at_hours:?} {saved:?}");
    }

    #[test]
    fn rules_let_go_what_they_agree_on() {
        let keep = |keep| Retention { keep: Some(keep), ..Retention::default() };
        check(&keep(2), &[1, 2, 3, 4], &[], &[1, 2]);
        check(&keep(2), &[1, 2, 3, 4], &[1], &[2]);
        check(&keep(0), &[1, 2], &[], &[1]);
        let aged = Retention { max_age: Some(hours(10)), ..Retention::default() };
        check(&aged, &[1, 89, 90, 95], &[], &[1, 2]);
        check(&aged, &[1, 2], &[], &[1]);
        check(&Retention { keep: Some(3), ..aged }, &[1, 89, 90, 95], &[], &[1]);
        let daily = Thinning { older_than: hours(48), every: hours(24) };
        let thin = Retention { thin: vec![daily], ..Retention::default() };
        check(&thin, &[1, 5, 20, 30, 47, 60, 70, 80], &[], &[1, 2, 4]);
        check(&thin, &[1, 5, 20], &[2], &[1]);
        let hourly = Thinning { older_than: hours(0), every: hours(1) };
        check(&Retention { thin: vec![hourly, daily], ..Retention::default() }, &[1, 2, 99, 99], &[], &[1, 3]);
        check(&keep(1), &[], &[], &[]);
    }

    #[test]
    fn rules_that_say_nothing_are_refused() {
        assert!(Retention::default().check().is_err());
        let never = Thinning { older_than: hours(1), every: hours(0) };
        assert!(Retention { thin: vec![never], ..Retention::default() }.check().is_err());
    }
}
