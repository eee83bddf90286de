//! Declares unions whose tag is optional.

/// Declares a union like `agentwire_protocol::open::union!`. The `type` of its objects is optional
/// if another member determines it: `"text" or "text" => Text(TextContent)`. The kinds have the tag
/// as an optional member.
macro_rules! lenient_union {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $value:literal $(or $member:literal)? => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[$($meta)*])*
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "all kinds are of some 200 bytes")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
            /// An unknown kind.
            Unknown(agentwire_protocol::Members),
        }

        $( agentwire_protocol::open::from_kind!($name, $variant, $type); )*

        agentwire_protocol::open::choice! {
            $name by |reader| {
                let mut number = 0;
                if let Some(tag) = reader.look_for("type")? {
                    let tag = agentwire_protocol::open::string_of(Some(tag));
                    let known = [$( $value ),*];
                    let number = known.iter().position(|it| tag.as_deref() == Some(it));
                    return Ok(number.map_or(0, |number| number + 1));
                }
                $(
                    number += 1;
                    $( if reader.look_for($member)?.is_some() {
                        return Ok(number);
                    } )?
                )*
                let _ = number;
                Ok(0)
            };
            untyped None;
            Unknown(agentwire_protocol::Members), $( $variant($type), )*
        }

        $crate::one_of_schema!(
            $name,
            agentwire_protocol::schema::docs!($([$($meta)*])*),
            [$($type),*],
            unknown_kind
        );
    };
}
pub(crate) use lenient_union;
