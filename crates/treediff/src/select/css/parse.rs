//! What does this selector mean? The grammar of Selectors Level 4, with a bound on the nesting.

use super::super::SelectError;
use super::ast::{
    AttributeTest, Case, Combinator, Complex, Compound, Count, Link, List, NameRef, NamespaceRef, Nested, Nth, Parsed,
    Simple, ValueOperator, ValueTest,
};
use super::scan::Scanner;

/// How deep pseudo-classes may stand inside one another.
const MAX_NESTING: usize = 64;

pub(super) fn parse(source: &str) -> Result<Parsed, SelectError> {
    let mut parser = Parser {
        scanner: Scanner::new(source),
        depth: 0,
        is_in_has: false,
        forgives: false,
        is_spoilt: false,
        names: Vec::new(),
        sets: 0,
        tables: Count::SHARED_SLOTS,
    };
    let list = parser.list()?;
    if parser.scanner.peek().is_some() {
        return Err(parser.scanner.error("a combinator, `,` or the end"));
    }
    Ok(Parsed { list, names: parser.names, sets: parser.sets, tables: parser.tables })
}

struct Parser<'s> {
    scanner: Scanner<'s>,
    depth: usize,
    is_in_has: bool,
    /// Whether a selector that asks for what is not there is left out of its list, and is no error.
    forgives: bool,
    /// Whether the selector that is being read has to be left out.
    is_spoilt: bool,
    names: Vec<NameRef>,
    sets: usize,
    tables: usize,
}

impl Parser<'_> {
    fn list(&mut self) -> Result<List, SelectError> {
        self.separated(Parser::complex)
    }

    /// One or more, with commas between them and white space around.
    fn separated<T>(&mut self, part: fn(&mut Self) -> Result<T, SelectError>) -> Result<Vec<T>, SelectError> {
        let mut parts = Vec::new();
        loop {
            self.scanner.skip_space()?;
            parts.push(part(self)?);
            self.scanner.skip_space()?;
            if !self.scanner.take(",") {
                return Ok(parts);
            }
        }
    }

    /// The list inside `:is` and `:where`, without the selectors that ask for what is not there.
    fn forgiving_list(&mut self) -> Result<List, SelectError> {
        let outside = (self.forgives, self.is_spoilt);
        self.forgives = true;
        let list = self.separated(|parser| {
            parser.is_spoilt = false;
            let complex = parser.complex()?;
            Ok((!parser.is_spoilt).then_some(complex))
        })?;
        (self.forgives, self.is_spoilt) = outside;
        Ok(list.into_iter().flatten().collect())
    }

    fn complex(&mut self) -> Result<Complex, SelectError> {
        let first = self.compound()?;
        Ok(Complex { first, rest: self.links()? })
    }

    fn links(&mut self) -> Result<Vec<Link>, SelectError> {
        let mut links = Vec::new();
        while let Some(combinator) = self.combinator()? {
            links.push(Link { combinator, compound: self.compound()? });
        }
        Ok(links)
    }

    /// The selector inside `:has`, whose first combinator may be left out.
    fn relative(&mut self) -> Result<Vec<Link>, SelectError> {
        let combinator = self.combinator_sign()?.unwrap_or(Combinator::Descendant);
        self.scanner.skip_space()?;
        let mut links = vec![Link { combinator, compound: self.compound()? }];
        links.append(&mut self.links()?);
        Ok(links)
    }

    fn combinator(&mut self) -> Result<Option<Combinator>, SelectError> {
        let blank = self.scanner.skip_space()?;
        if let Some(combinator) = self.combinator_sign()? {
            self.scanner.skip_space()?;
            return Ok(Some(combinator));
        }
        let ends = matches!(self.scanner.peek(), None | Some(',' | ')'));
        Ok((blank && !ends).then_some(Combinator::Descendant))
    }

    fn combinator_sign(&mut self) -> Result<Option<Combinator>, SelectError> {
        let combinator = match self.scanner.peek() {
            Some('>') => Combinator::Child,
            Some('+') => Combinator::NextSibling,
            Some('~') => Combinator::LaterSibling,
            _ => return Ok(None),
        };
        self.scanner.bump();
        Ok(Some(combinator))
    }

    fn compound(&mut self) -> Result<Compound, SelectError> {
        let mut compound = Vec::new();
        if self.scanner.at_name() || self.scanner.starts_with("*") || self.scanner.starts_with("|") {
            compound.push(self.type_selector()?);
        }
        loop {
            let simple = match self.scanner.peek() {
                Some('#') => Simple::Id(self.hash()?),
                Some('.') => {
                    self.scanner.bump();
                    Simple::Class(self.scanner.name("a class name")?)
                }
                Some('[') => self.attribute()?,
                Some(':') => self.pseudo_class()?,
                _ if compound.is_empty() => return Err(self.scanner.error("a selector")),
                _ => return Ok(compound),
            };
            compound.push(simple);
        }
    }

    fn hash(&mut self) -> Result<String, SelectError> {
        self.scanner.bump();
        self.scanner.name("an ID")
    }

    fn type_selector(&mut self) -> Result<Simple, SelectError> {
        let name = self.wildcard_name(NamespaceRef::Default)?;
        Ok(Simple::Type(self.name_slot(name)))
    }

    /// `name`, `*`, and both behind `prefix|`, `*|` or `|`.
    fn wildcard_name(&mut self, without_bar: NamespaceRef) -> Result<NameRef, SelectError> {
        let first = self.name_or_star()?;
        // `[a|=b]` has no prefix.
        if self.scanner.starts_with("|=") || !self.scanner.take("|") {
            return Ok(NameRef { namespace: without_bar, local: first.unwrap_or(Some(String::new())) });
        }
        let namespace = match first {
            None => NamespaceRef::None,
            Some(None) => NamespaceRef::Any,
            Some(Some(prefix)) => NamespaceRef::Prefix(prefix),
        };
        match self.name_or_star()? {
            Some(local) => Ok(NameRef { namespace, local }),
            None => Err(self.scanner.error("a name or `*`")),
        }
    }

    /// A name, or none for `*`; nothing where a bar comes first.
    fn name_or_star(&mut self) -> Result<Option<Option<String>>, SelectError> {
        if self.scanner.starts_with("|") {
            return Ok(None);
        }
        if self.scanner.take("*") {
            return Ok(Some(None));
        }
        self.scanner.name("a name or `*`").map(|name| Some(Some(name)))
    }

    fn name_slot(&mut self, name: NameRef) -> usize {
        self.names.push(name);
        self.names.len() - 1
    }

    fn attribute(&mut self) -> Result<Simple, SelectError> {
        self.scanner.bump();
        self.scanner.skip_space()?;
        let name = self.wildcard_name(NamespaceRef::None)?;
        if name.local.as_deref().is_none_or(str::is_empty) {
            return Err(self.scanner.error("the name of an attribute"));
        }
        let name = self.name_slot(name);
        self.scanner.skip_space()?;
        let value = if self.scanner.peek() == Some(']') { None } else { Some(self.value_test()?) };
        if !self.scanner.take("]") {
            return Err(self.scanner.error("`]`"));
        }
        Ok(Simple::Attribute(AttributeTest { name, value }))
    }

    fn value_test(&mut self) -> Result<ValueTest, SelectError> {
        let operator = self.value_operator()?;
        self.scanner.skip_space()?;
        let wanted = self.scanner.string_or_name()?;
        self.scanner.skip_space()?;
        let case = match self.scanner.peek() {
            Some('i' | 'I') => Case::Ignored,
            Some('s' | 'S') => Case::Counts,
            _ => Case::Usual,
        };
        if case != Case::Usual {
            self.scanner.bump();
            self.scanner.skip_space()?;
        }
        Ok(ValueTest { operator, wanted, case })
    }

    fn value_operator(&mut self) -> Result<ValueOperator, SelectError> {
        use ValueOperator::*;
        let operators = [
            ("=", Is),
            ("~=", HasWord),
            ("|=", IsOrStartsWithDash),
            ("^=", StartsWith),
            ("$=", EndsWith),
            ("*=", Contains),
        ];
        let found = operators.into_iter().find(|(sign, _)| self.scanner.take(sign));
        found
            .map(|(_, operator)| operator)
            .ok_or_else(|| self.scanner.error("`=`, `~=`, `|=`, `^=`, `$=`, `*=` or `]`"))
    }

    fn pseudo_class(&mut self) -> Result<Simple, SelectError> {
        let start = self.scanner.at;
        self.scanner.bump();
        if self.scanner.take(":") {
            let name = self.scanner.name("the name of a pseudo-element")?;
            return self.unsupported(start, &format!("::{name}"), "pseudo-elements are no nodes of the document");
        }
        let name = self.scanner.name("the name of a pseudo-class")?.to_ascii_lowercase();
        if self.scanner.take("(") { self.function(&name, start) } else { self.plain_pseudo_class(&name, start) }
    }

    fn plain_pseudo_class(&mut self, name: &str, start: usize) -> Result<Simple, SelectError> {
        let nth = |from_end, of_type| only(Count { from_end, of_type });
        Ok(match name {
            "root" => Simple::Root,
            "scope" => Simple::Scope,
            "empty" => Simple::Empty,
            "first-child" => nth(false, false),
            "last-child" => nth(true, false),
            "first-of-type" => nth(false, true),
            "last-of-type" => nth(true, true),
            "only-child" => self.both(nth(false, false), nth(true, false)),
            "only-of-type" => self.both(nth(false, true), nth(true, true)),
            "link" | "any-link" => Simple::Hyperlink,
            "checked" => Simple::Checked,
            "enabled" => Simple::Enabled,
            "disabled" => Simple::Disabled,
            "required" => Simple::Required { wanted: true },
            "optional" => Simple::Required { wanted: false },
            "read-write" => Simple::ReadWrite { wanted: true },
            "read-only" => Simple::ReadWrite { wanted: false },
            "before" | "after" | "first-line" | "first-letter" => {
                return self.unsupported(start, &format!(":{name}"), "pseudo-elements are no nodes of the document");
            }
            _ => return self.unsupported(start, &format!(":{name}"), reason_against(name)),
        })
    }

    fn both(&mut self, one: Simple, other: Simple) -> Simple {
        let list = vec![Complex { first: vec![one, other], rest: Vec::new() }];
        Simple::Matches { nested: self.nested(list), wanted: true }
    }

    fn function(&mut self, name: &str, start: usize) -> Result<Simple, SelectError> {
        if self.depth >= MAX_NESTING {
            return Err(SelectError::TooDeep { at: self.scanner.place(start), limit: MAX_NESTING });
        }
        self.depth += 1;
        self.scanner.skip_space()?;
        let simple = self.arguments(name, start)?;
        self.scanner.skip_space()?;
        self.depth -= 1;
        if self.scanner.take(")") { Ok(simple) } else { Err(self.scanner.error("`)`")) }
    }

    fn arguments(&mut self, name: &str, start: usize) -> Result<Simple, SelectError> {
        match name {
            "is" | "where" | "matches" => {
                let list = if self.scanner.peek() == Some(')') { Vec::new() } else { self.forgiving_list()? };
                Ok(Simple::Matches { nested: self.nested(list), wanted: true })
            }
            "not" => {
                let list = self.list()?;
                Ok(Simple::Matches { nested: self.nested(list), wanted: false })
            }
            "has" => self.has(start),
            "nth-child" => self.nth(Count { from_end: false, of_type: false }),
            "nth-last-child" => self.nth(Count { from_end: true, of_type: false }),
            "nth-of-type" => self.nth(Count { from_end: false, of_type: true }),
            "nth-last-of-type" => self.nth(Count { from_end: true, of_type: true }),
            "lang" => Ok(Simple::Language(self.separated(Parser::language_range)?)),
            "contains" => Ok(Simple::Contains(self.separated(|parser| parser.scanner.string_or_name())?)),
            _ => self.unsupported_function(name, start, reason_against(name)),
        }
    }

    fn has(&mut self, start: usize) -> Result<Simple, SelectError> {
        if self.is_in_has {
            return self.unsupported_function("has", start, "no `:has` may stand inside another");
        }
        self.is_in_has = true;
        let relatives = self.separated(Parser::relative)?;
        self.is_in_has = false;
        Ok(Simple::Has { relatives, slot: self.set_slot() })
    }

    /// A language range, whose `*` need not be escaped.
    fn language_range(&mut self) -> Result<String, SelectError> {
        if !self.scanner.take("*") {
            return self.scanner.string_or_name();
        }
        Ok(format!("*{}", self.scanner.name_characters()))
    }

    fn nth(&mut self, count: Count) -> Result<Simple, SelectError> {
        let (a, b) = self.an_plus_b()?;
        let blank = self.scanner.skip_space()?;
        if count.of_type || !blank || !(self.scanner.take("of") || self.scanner.take("OF")) {
            return Ok(Simple::Nth(Nth { a, b, count, slot: count.shared_slot(), of: None }));
        }
        let list = self.list()?;
        let of = self.nested(list);
        self.tables += 1;
        Ok(Simple::Nth(Nth { a, b, count, slot: self.tables - 1, of: Some(of) }))
    }

    fn an_plus_b(&mut self) -> Result<(i64, i64), SelectError> {
        if self.scanner.at_name() && matches!(self.scanner.peek(), Some('e' | 'E' | 'o' | 'O')) {
            let before = self.scanner.at;
            return match self.scanner.name_characters().to_ascii_lowercase().as_str() {
                "even" => Ok((2, 0)),
                "odd" => Ok((2, 1)),
                _ => {
                    self.scanner.at = before;
                    Err(self.scanner.error("`even`, `odd` or a formula such as `2n+1`"))
                }
            };
        }
        let sign = self.sign().unwrap_or(1);
        let number = self.scanner.digits();
        if !(self.scanner.take("n") || self.scanner.take("N")) {
            let number = number.ok_or_else(|| self.scanner.error("`even`, `odd` or a formula such as `2n+1`"))?;
            return Ok((0, sign * number));
        }
        let a = sign * number.unwrap_or(1);
        let behind = self.scanner.at;
        self.scanner.skip_space()?;
        let Some(sign) = self.sign() else {
            self.scanner.at = behind;
            return Ok((a, 0));
        };
        self.scanner.skip_space()?;
        let b = self.scanner.digits().ok_or_else(|| self.scanner.error("a number"))?;
        Ok((a, sign * b))
    }

    fn sign(&mut self) -> Option<i64> {
        if self.scanner.take("+") {
            Some(1)
        } else if self.scanner.take("-") {
            Some(-1)
        } else {
            None
        }
    }

    fn nested(&mut self, list: List) -> Nested {
        Nested { list, slot: self.set_slot() }
    }

    fn set_slot(&mut self) -> usize {
        self.sets += 1;
        self.sets - 1
    }

    /// A pseudo-class that is not there: an error, or the end of its selector where that is forgiven.
    fn unsupported(&mut self, start: usize, what: &str, reason: &'static str) -> Result<Simple, SelectError> {
        if !self.forgives {
            return Err(SelectError::Unsupported { at: self.scanner.place(start), what: what.to_owned(), reason });
        }
        self.is_spoilt = true;
        // Something has to stand there until the selector is left out.
        Ok(Simple::Root)
    }

    fn unsupported_function(&mut self, name: &str, start: usize, reason: &'static str) -> Result<Simple, SelectError> {
        let spoilt = self.unsupported(start, &format!(":{name}()"), reason)?;
        self.scanner.skip_arguments()?;
        Ok(spoilt)
    }
}

/// The first of a count.
fn only(count: Count) -> Simple {
    Simple::Nth(Nth { a: 0, b: 1, count, slot: count.shared_slot(), of: None })
}

fn reason_against(name: &str) -> &'static str {
    let of_a_browser = [
        "active",
        "autofill",
        "buffering",
        "current",
        "focus",
        "focus-visible",
        "focus-within",
        "fullscreen",
        "future",
        "hover",
        "local-link",
        "modal",
        "muted",
        "past",
        "paused",
        "picture-in-picture",
        "playing",
        "popover-open",
        "seeking",
        "stalled",
        "target",
        "target-within",
        "user-invalid",
        "user-valid",
        "visited",
        "volume-locked",
    ];
    if of_a_browser.contains(&name) { "it depends on what happens in a browser" } else { "no such pseudo-class here" }
}
