//! What does this expression mean? Recursive descent over the grammar of XPath 1.0, with a bound on the nesting.

use super::super::SelectError;
use super::super::error::{Place, brief};
use super::ast::{Axis, AxisTest, Expr, NodeTest, Path, Predicate, Start, Step, Type};
use super::functions::Function;
use super::lex::{QName, Token, TokenKind, tokens};

/// How deep parentheses, predicates and arguments may stand inside one another.
pub(super) const MAX_NESTING: usize = 64;

/// A parsed expression and the tables it refers to.
#[derive(Debug, Clone)]
pub(super) struct Parsed {
    pub(super) expr: Expr,
    pub(super) tests: Vec<AxisTest>,
    /// How many paths have a place to keep their nodes.
    pub(super) kept: usize,
}

pub(super) fn parse(source: &str) -> Result<Parsed, SelectError> {
    let mut parser =
        Parser { source, tokens: tokens(source)?, at: 0, depth: 0, in_predicate: 0, tests: Vec::new(), kept: 0 };
    let expr = parser.expression()?;
    parser.expect(TokenKind::End, "an operator or the end")?;
    Ok(Parsed { expr, tests: parser.tests, kept: parser.kept })
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token<'s>>,
    at: usize,
    depth: usize,
    in_predicate: usize,
    tests: Vec<AxisTest>,
    kept: usize,
}

impl<'s> Parser<'s> {
    fn expression(&mut self) -> Result<Expr, SelectError> {
        if self.depth >= MAX_NESTING {
            return Err(SelectError::TooDeep { at: self.place(), limit: MAX_NESTING });
        }
        self.depth += 1;
        let expr = self.binary(0);
        self.depth -= 1;
        expr
    }

    /// Operators that bind at least as tightly as `loosest`.
    fn binary(&mut self, loosest: u8) -> Result<Expr, SelectError> {
        let mut left = self.unary()?;
        while let Some(precedence) = self.operator_precedence().filter(|&precedence| precedence >= loosest) {
            let mut rest = Vec::new();
            while self.operator_precedence() == Some(precedence) {
                let TokenKind::Operator(operator) = self.advance() else { break };
                rest.push((operator, self.binary(precedence + 1)?));
            }
            left = Expr::Chain { first: Box::new(left), rest };
        }
        Ok(left)
    }

    fn operator_precedence(&self) -> Option<u8> {
        match self.peek() {
            TokenKind::Operator(operator) => Some(operator.precedence()),
            _ => None,
        }
    }

    fn unary(&mut self) -> Result<Expr, SelectError> {
        let mut signs = 0;
        while self.take(TokenKind::Operator(super::ast::Operator::Subtract)) {
            signs += 1;
        }
        let operand = self.union()?;
        if signs == 0 {
            return Ok(operand);
        }
        Ok(Expr::Negate { odd: signs % 2 == 1, operand: Box::new(operand) })
    }

    fn union(&mut self) -> Result<Expr, SelectError> {
        let first = self.path()?;
        if self.peek() != TokenKind::Bar {
            return Ok(first);
        }
        let mut parts = vec![node_set(first, "a part of a union")?];
        while self.take(TokenKind::Bar) {
            parts.push(node_set(self.path()?, "a part of a union")?);
        }
        Ok(Expr::Union(parts))
    }

    fn path(&mut self) -> Result<Expr, SelectError> {
        match self.peek() {
            TokenKind::Slash => {
                self.advance();
                let steps = if self.starts_step() { self.steps(Vec::new())? } else { Vec::new() };
                Ok(self.rooted(steps))
            }
            TokenKind::SlashSlash => {
                let steps = self.more_steps(Vec::new())?;
                Ok(self.rooted(steps))
            }
            _ if self.starts_primary() => self.filter(),
            _ if self.starts_step() => Ok(Expr::Path(Path { start: Start::Context, steps: self.steps(Vec::new())? })),
            _ => Err(self.error("an expression")),
        }
    }

    fn rooted(&mut self, steps: Vec<Step>) -> Expr {
        let kept_at = (self.in_predicate > 0 && !steps.is_empty()).then(|| {
            self.kept += 1;
            self.kept - 1
        });
        Expr::Path(Path { start: Start::Root { kept_at }, steps })
    }

    /// A primary expression with predicates and further steps behind it.
    fn filter(&mut self) -> Result<Expr, SelectError> {
        let mut expr = self.primary()?;
        if self.peek() == TokenKind::OpenBracket {
            let base = Box::new(node_set(expr, "what a predicate filters")?);
            expr = Expr::Filter { base, predicates: self.predicates()? };
        }
        if !matches!(self.peek(), TokenKind::Slash | TokenKind::SlashSlash) {
            return Ok(expr);
        }
        let base = Box::new(node_set(expr, "the start of a path")?);
        Ok(Expr::Path(Path { start: Start::Expr(base), steps: self.more_steps(Vec::new())? }))
    }

    fn primary(&mut self) -> Result<Expr, SelectError> {
        let start = self.offset();
        match self.advance() {
            TokenKind::Number(number) => Ok(Expr::Number(number)),
            TokenKind::Literal(text) => Ok(Expr::Literal(text.to_owned())),
            TokenKind::Variable(name) => Ok(Expr::Variable(name.to_owned())),
            TokenKind::Name(name) => self.call(name, start),
            _ => {
                let inner = self.expression()?;
                self.expect(TokenKind::CloseParenthesis, "an operator or `)`")?;
                Ok(inner)
            }
        }
    }

    fn call(&mut self, name: QName<'s>, start: usize) -> Result<Expr, SelectError> {
        let source = self.source;
        let at = || Place::of(source, start);
        let function = Function::named(name.local).filter(|_| name.prefix.is_none());
        let function = function.ok_or_else(|| SelectError::UnknownFunction { at: at(), name: written(name) })?;
        self.expect(TokenKind::OpenParenthesis, "`(`")?;
        let mut arguments = Vec::new();
        if self.peek() != TokenKind::CloseParenthesis {
            arguments.push(self.expression()?);
            while self.take(TokenKind::Comma) {
                arguments.push(self.expression()?);
            }
        }
        self.expect(TokenKind::CloseParenthesis, "`,` or `)`")?;
        function.check(&arguments, at)?;
        Ok(Expr::Call(function, arguments))
    }

    fn starts_primary(&self) -> bool {
        match self.peek() {
            TokenKind::Number(_) | TokenKind::Literal(_) | TokenKind::Variable(_) | TokenKind::OpenParenthesis => true,
            TokenKind::Name(name) => self.peek_behind() == TokenKind::OpenParenthesis && !is_node_type(name),
            _ => false,
        }
    }

    fn starts_step(&self) -> bool {
        use TokenKind::*;
        matches!(self.peek(), Name(_) | Star | PrefixStar(_) | At | Dot | DotDot)
    }

    /// A step and those that follow it.
    fn steps(&mut self, mut steps: Vec<Step>) -> Result<Vec<Step>, SelectError> {
        let step = self.step()?;
        self.push(&mut steps, step);
        self.more_steps(steps)
    }

    /// The steps that follow, each with the `/` or `//` before it.
    fn more_steps(&mut self, mut steps: Vec<Step>) -> Result<Vec<Step>, SelectError> {
        loop {
            match self.peek() {
                TokenKind::Slash => {}
                TokenKind::SlashSlash => {
                    let test = self.test(Axis::DescendantOrSelf, NodeTest::Node);
                    self.push(&mut steps, Step::new(Axis::DescendantOrSelf, test, Vec::new()));
                }
                _ => return Ok(steps),
            }
            self.advance();
            let step = self.step()?;
            self.push(&mut steps, step);
        }
    }

    /// Adds a step; `//` and a step to children or attributes become one that does not go through every node, and
    /// a `.` on the way is left out.
    fn push(&mut self, steps: &mut Vec<Step>, mut step: Step) {
        if step.axis != Axis::Own && steps.last().is_some_and(|last| self.is_plain(last, Axis::Own)) {
            steps.pop();
        }
        if let Some(last) = steps.last().filter(|last| self.is_plain(last, Axis::DescendantOrSelf)) {
            match step.axis {
                Axis::Child if !step.is_positional => {
                    steps.pop();
                    step.axis = Axis::Descendant;
                }
                // Only elements have attributes.
                Axis::Attribute => self.tests[last.test].test = NodeTest::Star,
                _ => {}
            }
        }
        steps.push(step);
    }

    /// Whether a step is `axis::node()`.
    fn is_plain(&self, step: &Step, axis: Axis) -> bool {
        step.axis == axis && step.predicates.is_empty() && self.tests[step.test].test == NodeTest::Node
    }

    fn step(&mut self) -> Result<Step, SelectError> {
        let short = match self.peek() {
            TokenKind::Dot => Some(Axis::Own),
            TokenKind::DotDot => Some(Axis::Parent),
            _ => None,
        };
        if let Some(axis) = short {
            self.advance();
            let test = self.test(axis, NodeTest::Node);
            return Ok(Step::new(axis, test, Vec::new()));
        }
        let axis = self.axis()?;
        let test = self.node_test()?;
        let test = self.test(axis, test);
        Ok(Step::new(axis, test, self.predicates()?))
    }

    fn axis(&mut self) -> Result<Axis, SelectError> {
        if self.take(TokenKind::At) {
            return Ok(Axis::Attribute);
        }
        let TokenKind::Name(name) = self.peek() else { return Ok(Axis::Child) };
        if self.peek_behind() != TokenKind::ColonColon {
            return Ok(Axis::Child);
        }
        let axis = Axis::named(name.local).filter(|_| name.prefix.is_none());
        let axis = axis.ok_or_else(|| self.error("one of the thirteen axes"))?;
        self.advance();
        self.advance();
        Ok(axis)
    }

    fn node_test(&mut self) -> Result<NodeTest, SelectError> {
        let test = match self.peek() {
            TokenKind::Star => NodeTest::Star,
            TokenKind::PrefixStar(prefix) => NodeTest::PrefixStar(prefix.to_owned()),
            TokenKind::Name(name) if self.peek_behind() == TokenKind::OpenParenthesis => return self.node_type(name),
            TokenKind::Name(name) => {
                NodeTest::Name { prefix: name.prefix.map(str::to_owned), local: name.local.to_owned() }
            }
            _ => return Err(self.error("a node test")),
        };
        self.advance();
        Ok(test)
    }

    fn node_type(&mut self, name: QName<'s>) -> Result<NodeTest, SelectError> {
        if !is_node_type(name) {
            return Err(self.error("a node type"));
        }
        self.advance();
        self.advance();
        let test = match (name.local, self.peek()) {
            ("node", _) => NodeTest::Node,
            ("text", _) => NodeTest::Text,
            ("comment", _) => NodeTest::Comment,
            (_, TokenKind::Literal(target)) => {
                self.advance();
                NodeTest::ProcessingInstruction(Some(target.to_owned()))
            }
            _ => NodeTest::ProcessingInstruction(None),
        };
        self.expect(TokenKind::CloseParenthesis, "`)`")?;
        Ok(test)
    }

    fn test(&mut self, axis: Axis, test: NodeTest) -> usize {
        self.tests.push(AxisTest { axis, test });
        self.tests.len() - 1
    }

    fn predicates(&mut self) -> Result<Vec<Predicate>, SelectError> {
        let mut predicates = Vec::new();
        self.in_predicate += 1;
        while self.take(TokenKind::OpenBracket) {
            predicates.push(Predicate::new(self.expression()?));
            self.expect(TokenKind::CloseBracket, "an operator or `]`")?;
        }
        self.in_predicate -= 1;
        Ok(predicates)
    }

    fn peek(&self) -> TokenKind<'s> {
        self.tokens.get(self.at).map_or(TokenKind::End, |token| token.kind)
    }

    fn peek_behind(&self) -> TokenKind<'s> {
        self.tokens.get(self.at + 1).map_or(TokenKind::End, |token| token.kind)
    }

    fn advance(&mut self) -> TokenKind<'s> {
        let kind = self.peek();
        self.at += 1;
        kind
    }

    fn take(&mut self, kind: TokenKind<'s>) -> bool {
        let found = self.peek() == kind;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, kind: TokenKind<'s>, expected: &str) -> Result<(), SelectError> {
        if self.take(kind) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.source.len(), |token| token.start)
    }

    fn place(&self) -> Place {
        Place::of(self.source, self.offset())
    }

    fn error(&self, expected: &str) -> SelectError {
        let start = self.offset();
        let end = self.tokens.get(self.at + 1).map_or(self.source.len(), |token| token.start);
        let text = self.source[start..end].trim_end();
        let found = if text.is_empty() { "the end".to_owned() } else { format!("`{}`", brief(text)) };
        SelectError::Syntax { at: self.place(), found, expected: expected.to_owned() }
    }
}

fn is_node_type(name: QName<'_>) -> bool {
    name.prefix.is_none() && matches!(name.local, "node" | "text" | "comment" | "processing-instruction")
}

fn node_set(expr: Expr, place: &'static str) -> Result<Expr, SelectError> {
    match expr.kind() {
        Type::NodeSet | Type::Any => Ok(expr),
        other => Err(SelectError::NotANodeSet { found: other.name(), place }),
    }
}

fn written(name: QName<'_>) -> String {
    name.prefix.map_or_else(|| name.local.to_owned(), |prefix| format!("{prefix}:{}", name.local))
}
