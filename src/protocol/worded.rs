//! Enums whose variants have words.
//!
//! Invariant: a variant and its word stand on one line, and nowhere else are all of them listed.

/// An enum with the word of each variant behind it, as in `Late = "late",`. It gets `ALL`, `WORDS`, `word`, `named` and
/// `Display`.
#[macro_export]
macro_rules! worded {
    ($(#[$of_enum:meta])* $vis:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$of_enum])*
        $vis enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $name {
            /// All of them, in their order.
            $vis const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];

            /// The words of all.
            $vis const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word, or words.
            $vis const fn word(self) -> &'static str {
                $name::WORDS[self as usize]
            }

            /// The one with this word.
            $vis fn named(word: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|variant| variant.word() == word)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}
