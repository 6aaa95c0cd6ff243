//! Where is something that may be at one place alone? What is there once on both sides is surely the same.

/// Where something is, as long as it is only at one place.
#[derive(Clone, Copy, Default)]
pub enum Whereabouts {
    #[default]
    Nowhere,
    Once(usize),
    Often,
}

impl Whereabouts {
    /// It is at this place as well.
    pub fn see(&mut self, at: usize) {
        *self = if matches!(self, Whereabouts::Nowhere) { Whereabouts::Once(at) } else { Whereabouts::Often };
    }

    /// Its only place.
    pub fn only(self) -> Option<usize> {
        if let Whereabouts::Once(at) = self { Some(at) } else { None }
    }
}
