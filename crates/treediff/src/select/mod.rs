//! Which nodes are meant? CSS selectors and XPath 1.0 over a document, with a bound on the work.
