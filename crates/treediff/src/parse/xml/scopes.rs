//! What does a prefix mean here? The namespace bindings in scope.

use std::collections::HashMap;

use crate::tree::NamespaceId;

/// The bindings of all open elements.
#[derive(Debug)]
pub(super) struct Scopes {
    /// The bindings of each prefix, innermost last. The empty prefix is the default namespace.
    bindings: HashMap<Box<str>, Vec<Binding>>,
    /// The prefixes in the order they were bound, to be unbound from the end.
    bound: Vec<Box<str>>,
    current: u32,
    issued: u32,
}

#[derive(Debug)]
struct Binding {
    /// [`NamespaceId::NONE`] where the prefix is unbound again.
    namespace: NamespaceId,
    /// The element that made it.
    element: u32,
}

impl Scopes {
    /// The scope outside of all elements. That `xml` is always bound is for the caller to know.
    pub(super) fn new() -> Self {
        Scopes { bindings: HashMap::new(), bound: Vec::new(), current: 0, issued: 0 }
    }

    /// The number of the scope in force: as long as it is the same, so is every prefix.
    #[inline(always)]
    pub(super) fn current(&self) -> u32 {
        self.current
    }

    /// The namespace that a prefix is bound to; `None` where it is not, or is unbound again.
    pub(super) fn namespace(&self, prefix: &str) -> Option<NamespaceId> {
        // Most documents bind nothing, and need not ask a table for that.
        let binding = (!self.bound.is_empty()).then(|| self.bindings.get(prefix)?.last())??;
        (binding.namespace != NamespaceId::NONE).then_some(binding.namespace)
    }

    /// Whether the element itself binds the prefix.
    pub(super) fn is_bound_by(&self, prefix: &str, element: u32) -> bool {
        self.bindings.get(prefix).and_then(|bindings| bindings.last()).is_some_and(|last| last.element == element)
    }

    /// Lets `element` bind a prefix until [`Scopes::leave`].
    pub(super) fn bind(&mut self, prefix: &str, namespace: NamespaceId, element: u32) {
        self.issued += 1;
        self.current = self.issued;
        self.bound.push(prefix.into());
        self.bindings.entry(prefix.into()).or_default().push(Binding { namespace, element });
    }

    /// How many bindings are in force, for [`Scopes::leave`].
    #[inline(always)]
    pub(super) fn depth(&self) -> u32 {
        self.bound.len() as u32
    }

    /// Goes back to scope `number`, which had `depth` bindings.
    pub(super) fn leave(&mut self, number: u32, depth: u32) {
        for prefix in self.bound.drain(depth as usize..) {
            if let Some(bindings) = self.bindings.get_mut(&prefix) {
                bindings.pop();
            }
        }
        self.current = number;
    }
}
