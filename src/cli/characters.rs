//! Which characters the screen is drawn with: those that a person names, else those that the terminal shows, as far as
//! its environment tells.
//!
//! The locale is LC_ALL, else LC_CTYPE, else LANG (POSIX.1-2017, section 8.2); a variable that is empty counts as not set,
//! and without any of them the locale is C, whose characters are ASCII.

use dashboard::Glyphs;

protocol::worded! {
    /// What a person says of the characters.
    #[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
    pub enum CharactersName {
        /// What the terminal shows, as far as its environment tells.
        #[default]
        Auto = "auto",
        /// All.
        Unicode = "unicode",
        Ascii = "ascii",
    }
}

impl CharactersName {
    /// The characters, in this terminal.
    pub fn glyphs(self, terminal: &TerminalCharacters) -> Glyphs {
        match (self, terminal) {
            (CharactersName::Unicode, _) | (CharactersName::Auto, TerminalCharacters::Unicode(_)) => Glyphs::Unicode,
            (CharactersName::Ascii | CharactersName::Auto, _) => Glyphs::Ascii,
        }
    }
}

/// What the environment tells of the characters that the terminal shows.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum TerminalCharacters {
    /// All: this locale is UTF-8.
    Unicode(String),
    /// Those of this locale, which is not UTF-8.
    OfLocale(String),
    /// Those of the locale C, for none is set.
    WithoutLocale,
    /// Those of the console of Linux, whose font has a few hundred.
    OfConsole,
}

impl TerminalCharacters {
    /// What this process's environment tells.
    pub fn here() -> TerminalCharacters {
        TerminalCharacters::told_by(|name| std::env::var(name).unwrap_or_default())
    }

    fn told_by(variable: impl Fn(&str) -> String) -> TerminalCharacters {
        if variable("TERM") == "linux" {
            return TerminalCharacters::OfConsole;
        }
        let Some(locale) = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty())
        else {
            return TerminalCharacters::WithoutLocale;
        };
        let is_utf8 = locale.to_ascii_lowercase().replace('-', "").contains("utf8");
        if is_utf8 { TerminalCharacters::Unicode(locale) } else { TerminalCharacters::OfLocale(locale) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)]) -> TerminalCharacters {
        TerminalCharacters::told_by(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
        })
    }

    #[test]
    fn the_first_variable_that_is_set_is_the_locale() {
        let (unicode, of_locale) = (TerminalCharacters::Unicode, TerminalCharacters::OfLocale);
        for (variables, tells) in [
            (&[][..], TerminalCharacters::WithoutLocale),
            (&[("LANG", "de_DE.UTF-8")], unicode("de_DE.UTF-8".into())),
            (&[("LC_CTYPE", "UTF-8"), ("LANG", "C")], unicode("UTF-8".into())),
            (&[("LC_ALL", ""), ("LC_CTYPE", ""), ("LANG", "C.utf8")], unicode("C.utf8".into())),
            (&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")], of_locale("C".into())),
            (&[("LC_CTYPE", "de_DE.ISO-8859-1"), ("LANG", "C.UTF-8")], of_locale("de_DE.ISO-8859-1".into())),
            (&[("TERM", "linux"), ("LANG", "C.UTF-8")], TerminalCharacters::OfConsole),
            (&[("TERM", "xterm"), ("LANG", "C.UTF-8")], unicode("C.UTF-8".into())),
        ] {
            assert_eq!(told(variables), tells, "{variables:?}");
        }
    }

    #[test]
    fn what_a_person_says_wins_over_the_terminal() {
        let (unicode, none) = (TerminalCharacters::Unicode("C.UTF-8".into()), TerminalCharacters::WithoutLocale);
        for (name, here, elsewhere) in [
            (CharactersName::Auto, Glyphs::Unicode, Glyphs::Ascii),
            (CharactersName::Unicode, Glyphs::Unicode, Glyphs::Unicode),
            (CharactersName::Ascii, Glyphs::Ascii, Glyphs::Ascii),
        ] {
            assert_eq!((name.glyphs(&unicode), name.glyphs(&none)), (here, elsewhere), "{name:?}");
            assert_eq!(name.glyphs(&TerminalCharacters::OfConsole), elsewhere, "{name:?}");
        }
    }
}
