//! Are the values of a path those that lxml finds in every version?

use store::{Address, Store};
use treediff::select::{Context, Expression};

use crate::oracle::Answer;
use crate::unspaced;

pub fn check(store: &Store, address: &Address, answer: &Answer) {
    for (path, expected) in &answer.values {
        let expression = Expression::parse(path).expect("an expression");
        let readings = store.trace(address, &expression, &Context::default()).expect("traced");
        let mut found = Vec::new();
        for reading in readings {
            let count = reading.until - reading.number + 1;
            found.extend((0..count).map(|_| reading.values.iter().map(|value| unspaced(value)).collect::<Vec<_>>()));
        }
        let expected: Vec<Vec<String>> =
            expected.iter().map(|values| values.iter().map(|value| unspaced(value)).collect()).collect();
        assert!(found == expected, "{address} {path}");
    }
}
