//! stub
use super::{Context, SelectError};
use crate::tree::Node;
/// stub
#[derive(Debug)]
pub struct Selector {}
impl Selector {
    /// stub
    pub fn parse(_: &str) -> Result<Self, SelectError> { todo!() }
    /// stub
    pub fn select<'d>(&self, _: Node<'d>, _: &Context<'d>) -> Result<Vec<Node<'d>>, SelectError> { todo!() }
}
