//! What does an expression say? Its parts, with what evaluation wants to know beforehand.

use super::functions::Function;

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Number(f64),
    Literal(String),
    Variable(String),
    /// An odd number of minus signs, or an even one, which still makes a number.
    Negate {
        odd: bool,
        operand: Box<Expr>,
    },
    /// Operators of one precedence from left to right; flat, so that a long sum is no deep tree.
    Chain {
        first: Box<Expr>,
        rest: Vec<(Operator, Expr)>,
    },
    Union(Vec<Expr>),
    Call(Function, Vec<Expr>),
    Filter {
        base: Box<Expr>,
        predicates: Vec<Predicate>,
    },
    Path(Path),
}

#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(super) enum Start {
    Context,
    /// The document node. Such a path means the same wherever it stands, so one inside a predicate has a place to
    /// keep its nodes.
    Root {
        kept_at: Option<usize>,
    },
    Expr(Box<Expr>),
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) axis: Axis,
    /// The place of the node test in the expression's list of them.
    pub(super) test: usize,
    pub(super) predicates: Vec<Predicate>,
    /// Whether which nodes pass depends on their order or number along the axis.
    pub(super) is_positional: bool,
}

impl Step {
    pub(super) fn new(axis: Axis, test: usize, predicates: Vec<Predicate>) -> Self {
        let is_positional = predicates.iter().any(|predicate| predicate.positional);
        Step { axis, test, predicates, is_positional }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Predicate {
    pub(super) expr: Expr,
    pub(super) positional: bool,
}

impl Predicate {
    pub(super) fn new(expr: Expr) -> Self {
        let positional = matches!(expr.kind(), Type::Number | Type::Any) || expr.asks_position();
        Predicate { expr, positional }
    }

    /// How many nodes need to be seen to answer: `n` for `[n]`.
    pub(super) fn nodes_needed(&self) -> Option<usize> {
        match self.expr {
            // A position that is no whole number from 1 is never reached, whatever it is cut down to.
            Expr::Number(position) => Some(position as usize),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Own,
}

impl Axis {
    pub(super) fn named(name: &str) -> Option<Axis> {
        Some(match name {
            "ancestor" => Axis::Ancestor,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            "attribute" => Axis::Attribute,
            "child" => Axis::Child,
            "descendant" => Axis::Descendant,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "following" => Axis::Following,
            "following-sibling" => Axis::FollowingSibling,
            "namespace" => Axis::Namespace,
            "parent" => Axis::Parent,
            "preceding" => Axis::Preceding,
            "preceding-sibling" => Axis::PrecedingSibling,
            "self" => Axis::Own,
            _ => return None,
        })
    }
}

/// A node test with the axis whose kind of nodes a name is meant for.
#[derive(Debug, Clone)]
pub(super) struct AxisTest {
    pub(super) axis: Axis,
    pub(super) test: NodeTest,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeTest {
    /// `*`.
    Star,
    /// `prefix:*`.
    PrefixStar(String),
    Name {
        prefix: Option<String>,
        local: String,
    },
    Node,
    Text,
    Comment,
    ProcessingInstruction(Option<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Operator {
    /// The larger, the tighter.
    pub(super) fn precedence(self) -> u8 {
        use Operator::*;
        match self {
            Or => 0,
            And => 1,
            Equal | NotEqual => 2,
            Less | LessOrEqual | Greater | GreaterOrEqual => 3,
            Add | Subtract => 4,
            Multiply | Divide | Modulo => 5,
        }
    }
}

/// The type of an expression, as far as it is known before evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    NodeSet,
    String,
    Number,
    Boolean,
    /// A variable may hold anything.
    Any,
}

impl Type {
    pub(super) fn name(self) -> &'static str {
        match self {
            Type::NodeSet => "node-set",
            Type::String => "string",
            Type::Number => "number",
            Type::Boolean => "boolean",
            Type::Any => "variable",
        }
    }
}

impl Expr {
    pub(super) fn kind(&self) -> Type {
        match self {
            Expr::Number(_) | Expr::Negate { .. } => Type::Number,
            Expr::Literal(_) => Type::String,
            Expr::Variable(_) => Type::Any,
            Expr::Chain { rest, .. } if rest.iter().all(|(operator, _)| operator.precedence() >= 4) => Type::Number,
            Expr::Chain { .. } => Type::Boolean,
            Expr::Call(function, _) => function.result(),
            Expr::Union(_) | Expr::Filter { .. } | Expr::Path(_) => Type::NodeSet,
        }
    }

    /// Whether `position()` or `last()` of the surrounding context is asked for.
    fn asks_position(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Literal(_) | Expr::Variable(_) => false,
            Expr::Negate { operand, .. } => operand.asks_position(),
            Expr::Chain { first, rest } => first.asks_position() || rest.iter().any(|(_, next)| next.asks_position()),
            Expr::Union(parts) => parts.iter().any(Expr::asks_position),
            Expr::Call(Function::Position | Function::Last, _) => true,
            Expr::Call(_, arguments) => arguments.iter().any(Expr::asks_position),
            Expr::Filter { base, .. } => base.asks_position(),
            Expr::Path(Path { start: Start::Expr(base), .. }) => base.asks_position(),
            Expr::Path(_) => false,
        }
    }
}
