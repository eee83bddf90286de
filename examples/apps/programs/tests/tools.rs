//! Tests of the tools.

use agentwire_programs::{Division, divide};

#[tokio::test]
async fn divides() {
    assert_eq!(divide(Division { a: 6.0, b: 3.0 }).await, Ok(2.0));
}

#[tokio::test]
async fn refuses_zero() {
    assert!(divide(Division { a: 6.0, b: 0.0 }).await.is_err());
}
