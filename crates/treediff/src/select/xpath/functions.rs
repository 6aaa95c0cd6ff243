//! Which functions are there? The core library of XPath 1.0.

use super::super::SelectError;
use super::super::error::Place;
use super::ast::{Expr, Type};

macro_rules! core_library {
    ($($variant:ident $name:literal $result:ident $least:literal..=$most:literal $counts:literal,)*) => {
        /// A function of the core library.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Function { $($variant),* }

        impl Function {
            pub(super) fn named(name: &str) -> Option<Function> {
                match name { $($name => Some(Function::$variant),)* _ => None }
            }

            fn signature(self) -> Signature {
                match self {
                    $(Function::$variant => Signature {
                        name: $name, result: Type::$result, least: $least, most: $most, counts: $counts,
                    }),*
                }
            }
        }
    };
}

struct Signature {
    name: &'static str,
    result: Type,
    least: usize,
    most: usize,
    /// How many arguments there may be, in words.
    counts: &'static str,
}

core_library! {
    Last "last" Number 0..=0 "none",
    Position "position" Number 0..=0 "none",
    Count "count" Number 1..=1 "1",
    Id "id" NodeSet 1..=1 "1",
    LocalName "local-name" String 0..=1 "at most 1",
    NamespaceUri "namespace-uri" String 0..=1 "at most 1",
    Name "name" String 0..=1 "at most 1",
    String "string" String 0..=1 "at most 1",
    Concat "concat" String 2..=1_000_000 "2 or more",
    StartsWith "starts-with" Boolean 2..=2 "2",
    Contains "contains" Boolean 2..=2 "2",
    SubstringBefore "substring-before" String 2..=2 "2",
    SubstringAfter "substring-after" String 2..=2 "2",
    Substring "substring" String 2..=3 "2 or 3",
    StringLength "string-length" Number 0..=1 "at most 1",
    NormalizeSpace "normalize-space" String 0..=1 "at most 1",
    Translate "translate" String 3..=3 "3",
    Boolean "boolean" Boolean 1..=1 "1",
    Not "not" Boolean 1..=1 "1",
    True "true" Boolean 0..=0 "none",
    False "false" Boolean 0..=0 "none",
    Lang "lang" Boolean 1..=1 "1",
    Number "number" Number 0..=1 "at most 1",
    Sum "sum" Number 1..=1 "1",
    Floor "floor" Number 1..=1 "1",
    Ceiling "ceiling" Number 1..=1 "1",
    Round "round" Number 1..=1 "1",
}

impl Function {
    pub(super) fn result(self) -> Type {
        self.signature().result
    }

    /// Checks the number of arguments, and their types as far as they are known.
    pub(super) fn check(self, arguments: &[Expr], at: impl Fn() -> Place) -> Result<(), SelectError> {
        let Signature { name, least, most, counts, .. } = self.signature();
        if !(least..=most).contains(&arguments.len()) {
            return Err(SelectError::ArgumentCount {
                at: at(),
                function: name,
                found: arguments.len(),
                expected: counts,
            });
        }
        match arguments.first().map(Expr::kind) {
            Some(found @ (Type::String | Type::Number | Type::Boolean)) if self.takes_node_set() => {
                Err(SelectError::NotANodeSet { found: found.name(), place: "an argument" })
            }
            _ => Ok(()),
        }
    }

    fn takes_node_set(self) -> bool {
        use Function::*;
        matches!(self, Count | Sum | LocalName | NamespaceUri | Name)
    }
}
