//! Which tokens is an expression made of? The lexical structure of XPath 1.0, section 3.7, with its rules for names
//! and `*` that are operators in one place and node tests in another.

use super::super::SelectError;
use super::super::error::{Place, found_at};
use super::ast::Operator;

/// A token and where it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind<'s>,
    pub(super) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TokenKind<'s> {
    Number(f64),
    Literal(&'s str),
    /// `$name`.
    Variable(&'s str),
    /// A name: node test, axis, function or node type, as what follows tells.
    Name(QName<'s>),
    /// `*` as a node test.
    Star,
    /// `prefix:*`.
    PrefixStar(&'s str),
    Operator(Operator),
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    Dot,
    DotDot,
    At,
    Comma,
    ColonColon,
    Slash,
    SlashSlash,
    Bar,
    End,
}

/// A name as written: prefix, if any, and local part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct QName<'s> {
    pub(super) prefix: Option<&'s str>,
    pub(super) local: &'s str,
}

/// The tokens of an expression, [`TokenKind::End`] last.
pub(super) fn tokens(source: &str) -> Result<Vec<Token<'_>>, SelectError> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens: Vec<Token<'_>> = Vec::new();
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let kind = lexer.next(tokens.last().is_some_and(|token| ends_operand(token.kind)))?;
        tokens.push(Token { kind, start });
        if kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

/// Whether a name or `*` behind this token is an operator.
fn ends_operand(before: TokenKind<'_>) -> bool {
    use TokenKind::*;
    !matches!(before, At | ColonColon | OpenParenthesis | OpenBracket | Comma | Slash | SlashSlash | Bar | Operator(_))
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.source.len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn next(&mut self, behind_operand: bool) -> Result<TokenKind<'s>, SelectError> {
        if let Some(symbol) = self.symbol(behind_operand) {
            return Ok(symbol);
        }
        match self.rest().chars().next() {
            None => Ok(TokenKind::End),
            Some(quote @ ('"' | '\'')) => self.literal(quote),
            Some('$') => self.variable(),
            Some('0'..='9' | '.') => Ok(self.number()),
            Some(first) if is_name_start(first) => self.name(behind_operand),
            Some(_) => Err(self.error("an expression")),
        }
    }

    fn symbol(&mut self, behind_operand: bool) -> Option<TokenKind<'s>> {
        use TokenKind::*;
        let rest = self.rest().as_bytes();
        let second = rest.get(1).copied();
        let (kind, len) = match rest.first()? {
            b'(' => (OpenParenthesis, 1),
            b')' => (CloseParenthesis, 1),
            b'[' => (OpenBracket, 1),
            b']' => (CloseBracket, 1),
            b'@' => (At, 1),
            b',' => (Comma, 1),
            b'|' => (Bar, 1),
            b':' if second == Some(b':') => (ColonColon, 2),
            b'/' if second == Some(b'/') => (SlashSlash, 2),
            b'/' => (Slash, 1),
            b'.' if second == Some(b'.') => (DotDot, 2),
            b'.' if !second.is_some_and(|byte| byte.is_ascii_digit()) => (Dot, 1),
            b'*' if behind_operand => (Operator(super::ast::Operator::Multiply), 1),
            b'*' => (Star, 1),
            _ => {
                let (operator, len) = operator_sign(rest)?;
                (Operator(operator), len)
            }
        };
        self.at += len;
        Some(kind)
    }

    fn literal(&mut self, quote: char) -> Result<TokenKind<'s>, SelectError> {
        let inside = &self.rest()[1..];
        let Some(len) = inside.find(quote) else {
            self.at = self.source.len();
            return Err(self.error(&format!("a closing `{quote}`")));
        };
        self.at += len + 2;
        Ok(TokenKind::Literal(&inside[..len]))
    }

    fn variable(&mut self) -> Result<TokenKind<'s>, SelectError> {
        self.at += 1;
        let start = self.at;
        self.ncname()?;
        if self.rest().starts_with(':') && !self.rest().starts_with("::") {
            self.at += 1;
            self.ncname()?;
        }
        Ok(TokenKind::Variable(&self.source[start..self.at]))
    }

    fn number(&mut self) -> TokenKind<'s> {
        let rest = self.rest();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut len = digits(rest);
        if rest[len..].starts_with('.') {
            len += 1 + digits(&rest[len + 1..]);
        }
        self.at += len;
        TokenKind::Number(super::number::parse(&rest[..len]))
    }

    fn name(&mut self, behind_operand: bool) -> Result<TokenKind<'s>, SelectError> {
        let start = self.at;
        let first = self.ncname()?;
        if behind_operand {
            return operator_name(first).map(TokenKind::Operator).ok_or_else(|| {
                self.at = start;
                self.error("an operator")
            });
        }
        if !self.rest().starts_with(':') || self.rest().starts_with("::") {
            return Ok(TokenKind::Name(QName { prefix: None, local: first }));
        }
        self.at += 1;
        if self.rest().starts_with('*') {
            self.at += 1;
            return Ok(TokenKind::PrefixStar(first));
        }
        let local = self.ncname()?;
        Ok(TokenKind::Name(QName { prefix: Some(first), local }))
    }

    fn ncname(&mut self) -> Result<&'s str, SelectError> {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return Err(self.error("a name"));
        }
        let len = rest.find(|character| !is_name_part(character)).unwrap_or(rest.len());
        self.at += len;
        Ok(&rest[..len])
    }

    fn error(&self, expected: &str) -> SelectError {
        SelectError::Syntax {
            at: Place::of(self.source, self.at),
            found: found_at(self.source, self.at),
            expected: expected.to_owned(),
        }
    }
}

fn operator_sign(rest: &[u8]) -> Option<(Operator, usize)> {
    Some(match rest {
        [b'!', b'=', ..] => (Operator::NotEqual, 2),
        [b'<', b'=', ..] => (Operator::LessOrEqual, 2),
        [b'>', b'=', ..] => (Operator::GreaterOrEqual, 2),
        [b'=', ..] => (Operator::Equal, 1),
        [b'<', ..] => (Operator::Less, 1),
        [b'>', ..] => (Operator::Greater, 1),
        [b'+', ..] => (Operator::Add, 1),
        [b'-', ..] => (Operator::Subtract, 1),
        _ => return None,
    })
}

fn operator_name(name: &str) -> Option<Operator> {
    Some(match name {
        "or" => Operator::Or,
        "and" => Operator::And,
        "div" => Operator::Divide,
        "mod" => Operator::Modulo,
        _ => return None,
    })
}

/// `NameStartChar` of XML 1.0 without the colon.
fn is_name_start(character: char) -> bool {
    matches!(character,
        'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// `NameChar` of XML 1.0 without the colon.
fn is_name_part(character: char) -> bool {
    is_name_start(character)
        || matches!(character, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}
