//! Values of wire types.

/// Builds a value of a wire type, which is `non_exhaustive` and has no struct
/// expression outside its crate. Members without a value are empty, or those of
/// the base.
macro_rules! wire {
    ($type:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        wire!($type {
            $($field $(: $value)?,)*
            ..<$type as agentwire_protocol::open::Field>::fresh()
        })
    };
    ($type:ident { $($field:ident $(: $value:expr)?,)* ..$base:expr }) => {{
        #[allow(unused_mut, reason = "a value without members")]
        let mut value: $type = $base;
        $( value.$field = wire!(@ $field $($value)?); )*
        value
    }};
    (@ $field:ident $value:expr) => { $value };
    (@ $field:ident) => { $field };
}
