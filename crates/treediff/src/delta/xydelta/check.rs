//! Does a delta contradict itself? What can be known without the documents.

use crate::delta::{Delta, Operation, Place, Xid, XidMap};

/// Whether the numbers of the delta as a whole agree.
pub(super) fn header(delta: &Delta) -> Result<(), String> {
    let highest = delta.from_xids.max().max(delta.to_xids.max());
    match highest.filter(|&highest| highest >= delta.next_xid) {
        Some(highest) => Err(format!("found XID {highest}; expected all below `nextXID`, {}", delta.next_xid)),
        None => Ok(()),
    }
}

/// Which operation is at odds with the maps or with an earlier operation, if it is one alone, and how.
pub(super) type Fault = (Option<usize>, String);

/// Whether the operations agree with one another and with the two maps.
pub(super) fn operations(delta: &Delta) -> Result<(), Fault> {
    let deleted = IdentitySet::collect(delta, |operation| match operation {
        Operation::Delete { xids, .. } => Some(xids),
        _ => None,
    });
    let inserted = IdentitySet::collect(delta, |operation| match operation {
        Operation::Insert { xids, .. } => Some(xids),
        _ => None,
    });
    deleted.and(&inserted).check_distinct()?;
    let before = IdentitySet::of(&delta.from_xids);
    let after = IdentitySet::of(&delta.to_xids);
    let kept = before.without(&deleted, "deleted, but is not in `fromXIDmap`")?;
    let kept_after = after.without(&inserted, "inserted, but is not in `toXIDmap`")?;
    kept.check_same(&kept_after)?;
    subjects(delta, &kept)?;
    places(delta, &before, &after)?;
    below_others(delta)
}

/// What an operation does to a node that no second may do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject<'d> {
    Move(Xid),
    Value(Xid),
    Attribute(Xid, &'d str, &'d str),
    Doctype,
}

/// Nodes that move or change are there before and after, and have one operation for one thing.
fn subjects(delta: &Delta, kept: &IdentitySet) -> Result<(), Fault> {
    let mut seen = Vec::with_capacity(delta.operations.len());
    for (at, operation) in delta.operations.iter().enumerate() {
        let subject = match operation {
            Operation::Move { xids, .. } => {
                if let Some(xid) = xids.runs().find_map(|run| kept.first_missing(run)) {
                    return Err((Some(at), format!("XID {xid} moves, but is not there both before and after")));
                }
                Subject::Move(operation.node())
            }
            Operation::Update { node, .. } => Subject::Value(*node),
            Operation::Attribute { node, name, .. } => Subject::Attribute(*node, &name.namespace, &name.local),
            Operation::Doctype { .. } => Subject::Doctype,
            Operation::Delete { .. } | Operation::Insert { .. } => continue,
        };
        let node = operation.node();
        if node != Xid::DOCUMENT && kept.first_missing((node, node)).is_some() {
            return Err((Some(at), format!("XID {node} is not there both before and after")));
        }
        seen.push((subject, at));
    }
    match first_twice(seen) {
        Some((_, first, at)) => Err((Some(at), format!("operation {} does the same to the same node", first + 1))),
        None => Ok(()),
    }
}

/// Nothing is below itself, before or after. The map of what goes or comes has the nodes that hang together with its root,
/// so it is enough to go from map to map by the parents.
fn below_others(delta: &Delta) -> Result<(), Fault> {
    let before = |operation: &Operation| match operation {
        Operation::Delete { place, .. } | Operation::Move { from: place, .. } => Some(place.parent),
        _ => None,
    };
    let after = |operation: &Operation| match operation {
        Operation::Insert { place, .. } | Operation::Move { to: place, .. } => Some(place.parent),
        _ => None,
    };
    first_below_itself(delta, before, "before")?;
    first_below_itself(delta, after, "after")
}

fn first_below_itself(delta: &Delta, parent: impl Fn(&Operation) -> Option<Xid>, side: &str) -> Result<(), Fault> {
    let owners = IdentitySet::collect(delta, |operation| match operation {
        Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. } => {
            parent(operation).map(|_| xids)
        }
        _ => None,
    });
    // From which operation on each was first come by; no way is gone twice.
    let mut seen: Vec<Option<usize>> = vec![None; delta.operations.len()];
    for first in 0..delta.operations.len() {
        let mut next = Some(first).filter(|&at| seen[at].is_none());
        while let Some(at) = next.filter(|&at| seen[at].is_none()) {
            seen[at] = Some(first);
            next = parent(&delta.operations[at]).and_then(|parent| owners.operation_of(parent));
        }
        if let Some(at) = next.filter(|&at| seen[at] == Some(first)) {
            let xid = delta.operations[at].node();
            return Err((Some(at), format!("XID {xid} would be below itself {side}")));
        }
    }
    Ok(())
}

/// What is there twice, with the operation that it is of and the next one. By sorting, which takes a fraction of looking each
/// up in a table that cannot be made slow.
fn first_twice<T: Ord>(mut seen: Vec<(T, usize)>) -> Option<(T, usize, usize)> {
    seen.sort_unstable();
    let place = seen.windows(2).position(|pair| pair[0].0 == pair[1].0)?;
    let next = seen[place + 1].1;
    let (twice, first) = seen.swap_remove(place);
    Some((twice, first, next))
}

/// Nothing is taken from or put to one place twice, and parents are there.
fn places(delta: &Delta, before: &IdentitySet, after: &IdentitySet) -> Result<(), Fault> {
    let mut seen: [Vec<(Place, usize)>; 2] = Default::default();
    let versions = [("before", before), ("after", after)];
    for (at, operation) in delta.operations.iter().enumerate() {
        let of_both = match operation {
            Operation::Delete { place, .. } => [Some(*place), None],
            Operation::Insert { place, .. } => [None, Some(*place)],
            Operation::Move { from, to, .. } => [Some(*from), Some(*to)],
            _ => [None, None],
        };
        for (side, place) in of_both.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let ((name, xids), parent) = (versions[side], place.parent);
            if parent != Xid::DOCUMENT && xids.first_missing((parent, parent)).is_some() {
                return Err((Some(at), format!("the parent, XID {parent}, is not there {name}")));
            }
            seen[side].push((place, at));
        }
    }
    for (seen, (name, _)) in seen.into_iter().zip(versions) {
        if let Some((Place { parent, position }, first, at)) = first_twice(seen) {
            let (other, position) = (first + 1, u64::from(position) + 1);
            return Err((Some(at), format!("operation {other} has position {position} of XID {parent} {name} too")));
        }
    }
    Ok(())
}

/// Identities as runs that are sorted, each with the operation that it is from.
#[derive(Debug)]
struct IdentitySet {
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    first: u64,
    last: u64,
    operation: usize,
}

impl IdentitySet {
    fn of(map: &XidMap) -> Self {
        let runs = map.runs().map(|(first, last)| Run { first: first.0, last: last.0, operation: 0 });
        IdentitySet::sorted(runs.collect())
    }

    fn sorted(mut runs: Vec<Run>) -> Self {
        runs.sort_unstable_by_key(|run| run.first);
        IdentitySet { runs }
    }

    /// The identities in the maps of some operations.
    fn collect<'d>(delta: &'d Delta, map: impl Fn(&'d Operation) -> Option<&'d XidMap>) -> Self {
        let maps = delta.operations.iter().enumerate().filter_map(|(at, operation)| Some((at, map(operation)?)));
        let runs = maps.flat_map(|(operation, map)| {
            map.runs().map(move |(first, last)| Run { first: first.0, last: last.0, operation })
        });
        IdentitySet::sorted(runs.collect())
    }

    /// The operation that an identity is from.
    fn operation_of(&self, xid: Xid) -> Option<usize> {
        let behind = self.runs.partition_point(|run| run.first <= xid.0);
        let run = self.runs.get(behind.checked_sub(1)?)?;
        (xid.0 <= run.last).then_some(run.operation)
    }

    fn and(&self, other: &IdentitySet) -> Self {
        IdentitySet::sorted([&*self.runs, &*other.runs].concat())
    }

    fn check_distinct(&self) -> Result<(), Fault> {
        match self.runs.windows(2).find(|pair| pair[1].first <= pair[0].last) {
            Some(pair) => {
                let operation = pair[0].operation.max(pair[1].operation);
                Err((Some(operation), format!("XID {} is deleted or inserted twice", pair[1].first)))
            }
            None => Ok(()),
        }
    }

    /// The identities that are not in `other`, all of which have to be here.
    fn without(&self, other: &IdentitySet, otherwise: &str) -> Result<IdentitySet, Fault> {
        let mut left = Vec::new();
        let mut taken = other.runs.iter().peekable();
        for &run in &self.merged() {
            let mut next = run.first;
            while let Some(gone) = taken.next_if(|gone| gone.first <= run.last) {
                if gone.first < next || gone.last > run.last {
                    return Err(missing(gone, otherwise));
                }
                if next < gone.first {
                    left.push(Run { first: next, last: gone.first - 1, operation: 0 });
                }
                next = gone.last + 1;
            }
            if next <= run.last {
                left.push(Run { first: next, last: run.last, operation: 0 });
            }
        }
        taken.next().map_or(Ok(IdentitySet { runs: left }), |gone| Err(missing(gone, otherwise)))
    }

    /// The runs with those made one that count up to each other.
    fn merged(&self) -> Vec<Run> {
        let mut merged: Vec<Run> = Vec::with_capacity(self.runs.len());
        for &run in &self.runs {
            match merged.last_mut() {
                Some(last) if last.last + 1 == run.first => last.last = run.last,
                _ => merged.push(run),
            }
        }
        merged
    }

    /// Whether what is left of both versions is the same.
    fn check_same(&self, after: &IdentitySet) -> Result<(), Fault> {
        let ranges = |set: &IdentitySet| set.merged().iter().map(|run| (run.first, run.last)).collect::<Vec<_>>();
        let (here, there) = (ranges(self), ranges(after));
        if here == there {
            return Ok(());
        }
        let lone = |a: &IdentitySet, b: &IdentitySet| {
            a.runs.iter().find_map(|run| b.first_missing((Xid(run.first), Xid(run.last))))
        };
        let message = match (lone(self, after), lone(after, self)) {
            (Some(xid), _) => format!("XID {xid} is in `fromXIDmap` alone, but is not deleted"),
            (_, Some(xid)) => format!("XID {xid} is in `toXIDmap` alone, but is not inserted"),
            _ => return Ok(()),
        };
        Err((None, message))
    }

    /// The first of a run that is not in the set.
    fn first_missing(&self, (first, last): (Xid, Xid)) -> Option<Xid> {
        let mut next = first.0;
        let from = self.runs.partition_point(|run| run.last < next);
        for run in &self.runs[from..] {
            if run.first > next {
                break;
            }
            if run.last >= last.0 {
                return None;
            }
            next = run.last + 1;
        }
        Some(Xid(next))
    }
}

fn missing(gone: &Run, otherwise: &str) -> Fault {
    (Some(gone.operation), format!("one of XID {} to {} is {otherwise}", gone.first, gone.last))
}
