//! Which children has a node when some of them go and others come, each at the place it says?

use super::fault::Fault;
use crate::delta::Xid;

/// A child that comes, and its place from 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coming<N, O> {
    pub(super) position: u32,
    pub(super) node: N,
    /// Who says so.
    pub(super) operation: O,
}

/// The children in order when some have come: those that stay keep their order and fill the places between.
pub(super) fn merged<N: Copy, O: Copy>(
    staying: Vec<N>,
    mut coming: Vec<Coming<N, O>>,
    parent: Xid,
) -> Result<Vec<N>, (O, Fault)> {
    coming.sort_by_key(|child| child.position);
    let mut children = Vec::with_capacity(staying.len() + coming.len());
    let mut staying = staying.into_iter();
    for child in coming {
        let missing = (child.position as usize).saturating_sub(children.len());
        children.extend(staying.by_ref().take(missing));
        if children.len() != child.position as usize {
            let position = child.position.saturating_add(1);
            return Err((child.operation, Fault::Position { parent, position, children: children.len() }));
        }
        children.push(child.node);
    }
    children.extend(staying);
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(staying: &str, coming: &[(u32, char)], expected: Option<&str>) {
        let coming = coming.iter().map(|&(position, node)| Coming { position, node, operation: () }).collect();
        let children = merged(staying.chars().collect(), coming, Xid(1));
        assert_eq!(children.ok().map(String::from_iter).as_deref(), expected);
    }

    #[test]
    fn what_comes_is_where_it_says() {
        check("abc", &[], Some("abc"));
        check("abc", &[(1, 'x'), (0, 'y')], Some("yxabc"));
        check("abc", &[(2, 'x'), (4, 'y')], Some("abxcy"));
        check("", &[(0, 'x'), (1, 'y')], Some("xy"));
        check("ab", &[(3, 'x')], None);
        check("ab", &[(1, 'x'), (1, 'y')], None);
        check("ab", &[(u32::MAX, 'x')], None);
    }
}
