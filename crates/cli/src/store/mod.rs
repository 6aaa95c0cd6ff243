//! What was there before? The verbs that keep versions of pages and look back at them.

#[cfg_attr(not(test), expect(dead_code, reason = "the verb that uses it comes next"))]
mod git_history;
mod plot;
