/// Declares the bugs of a store and lists them in `FAULTS`.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Fault {
            $($(#[$doc])* $name,)*
        }

        const FAULTS: &[Fault] = &[$(Fault::$name,)*];
    };
}
