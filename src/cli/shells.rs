//! The shells that complete this command line: the script of each, and the form in which it takes what is offered.
//!
//! A shell puts what it is offered into the line that it runs, so a file's name may be an order there. Zsh, fish and
//! elvish quote each word that they put in. Bash does so only for a name that a file has, and a session's name is none,
//! so its script quotes each word itself. Bash splits a line its own way, and no script of it undoes its quotes without
//! running what they hold: a word with quotes or escapes in it bash completes itself, with the names of files.
//! PowerShell has no script here: one that runs the line itself to read it, and puts words into it as they are, would
//! be worse than none.
//!
//! Invariant: what is offered means itself in each of them, as one word; what cannot is left out.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;

use super::candidates::VARIABLE;
use protocol::is_unshowable;

/// A shell.
#[derive(Copy, Clone, Eq, PartialEq, Debug, ValueEnum)]
pub enum CompletingShell {
    Bash,
    Elvish,
    Fish,
    Zsh,
}

/// The function asks for the blanks' last word, of which bash may replace only an end (`$2`): after `=` and `:`.
const BASH: &str = r#"_hustings() {
    local IFS=$' \t\n' words one
    local line=${COMP_LINE:0:COMP_POINT}
    local word=${line##*[[:space:]]}
    COMPREPLY=()
    if [[ $word != *"$2" || $word == *[\\\'\"\$\`~]* ]]; then
        compopt -o default 2> /dev/null
        return
    fi
    read -d '' -ra words <<< "${line%"$word"}"
    while IFS= read -r one; do
        [[ $one == */ ]] && compopt -o nospace 2> /dev/null
        printf -v one %q "${one#"${word%"$2"}"}"
        COMPREPLY+=("$one")
    done < <(VARIABLE=bash _CLAP_COMPLETE_INDEX=${#words[@]} PROGRAM -- "${words[@]}" "$word")
}
complete -o nosort -F _hustings hustings 2> /dev/null || complete -F _hustings hustings
"#;

impl CompletingShell {
    /// The script, which asks the program at this path.
    pub fn script(self, program: &Path) -> String {
        let program = program.to_string_lossy();
        if self == CompletingShell::Bash {
            let quoted = format!("'{}'", program.replace('\'', r"'\''"));
            return BASH.replace("VARIABLE", VARIABLE).replace("PROGRAM", &quoted);
        }
        let (shells, mut text, name) = (Shells::builtins(), Vec::new(), "hustings");
        let value = self.to_possible_value().expect("every shell may be named");
        let shell = shells.completer(value.get_name()).expect("each of them has a script");
        shell.write_registration(VARIABLE, name, name, &program, &mut text).expect("memory takes all that is written");
        String::from_utf8(text).expect("a script is text")
    }

    /// Writes what is offered for this word, each on a line, as its script reads it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(self, word: &OsStr, offered: &[CompletionCandidate], out: &mut dyn Write) -> io::Result<()> {
        for candidate in offered {
            let Some(value) = self.one_word(word, candidate) else { continue };
            let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
            match (self, help.lines().next()) {
                (CompletingShell::Fish, Some(help)) => writeln!(out, "{value}\t{help}")?,
                (CompletingShell::Zsh, help) => {
                    let value = value.replace('\\', r"\\").replace(':', r"\:");
                    let help = help.map(|help| format!(":{}", help.replace('\\', r"\\"))).unwrap_or_default();
                    writeln!(out, "{value}{help}")?;
                }
                (CompletingShell::Bash | CompletingShell::Elvish | CompletingShell::Fish, _) => {
                    writeln!(out, "{value}")?;
                }
            }
        }
        Ok(())
    }

    /// What is offered for this word, if the shell takes it as one word that means itself and that a terminal shows. A
    /// name that begins with a dash is an option to every program, and one that begins with `~` is somebody's home: no
    /// shell quotes that everywhere, and bash and zsh quote it where a person wrote it.
    fn one_word<'a>(self, word: &OsStr, candidate: &'a CompletionCandidate) -> Option<&'a str> {
        let (value, word) = (candidate.get_value().to_str()?, word.as_encoded_bytes());
        let keeps_home = matches!(self, CompletingShell::Elvish | CompletingShell::Fish);
        let is_itself = match value.as_bytes().first() {
            Some(b'-') => candidate.get_id().is_some() || word.starts_with(b"-"),
            Some(b'~') => keeps_home && word.starts_with(b"~/"),
            _ => true,
        };
        (is_itself && !value.contains(is_unshowable)).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each shell is given for the word.
    fn written(shell: CompletingShell, word: &str, values: &[&str]) -> String {
        let offered: Vec<CompletionCandidate> = values
            .iter()
            .map(|value| CompletionCandidate::new(*value).help(Some("what: it\\is\nmore".into())))
            .collect();
        let mut out = Vec::new();
        shell.write(word.as_ref(), &offered, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_cannot_stand_for_itself_in_a_line_is_left_out() {
        use std::os::unix::ffi::OsStrExt;
        let unreadable = CompletionCandidate::new(OsStr::from_bytes(b"a\xff"));
        for shell in CompletingShell::value_variants() {
            for value in ["a\nb", "a\tb", "a\u{1b}[2J", "a\u{7f}", "a\u{202e}b", "~root", "~", "-x", "--force"] {
                assert_eq!(written(*shell, "", &[value]), "", "{shell:?} {value:?}");
            }
            let mut out = Vec::new();
            shell.write("".as_ref(), std::slice::from_ref(&unreadable), &mut out).unwrap();
            assert_eq!(out, b"", "{shell:?}");
            let option = CompletionCandidate::new("--force").id(Some("arg::force".to_owned()));
            shell.write("".as_ref(), std::slice::from_ref(&option), &mut out).unwrap();
            assert_eq!(out, b"--force\n", "{shell:?}");
            let keeps_home = matches!(shell, CompletingShell::Elvish | CompletingShell::Fish);
            assert_eq!(written(*shell, "~/a", &["~/a b"]).is_empty(), !keeps_home, "{shell:?}");
            assert!(written(*shell, "--keep=", &["--keep=a b"]).starts_with("--keep=a b"), "{shell:?}");
        }
    }

    #[test]
    fn each_shell_reads_a_name_and_its_help_out_of_a_line() {
        let value = r"a b$(x)\:y";
        assert_eq!(written(CompletingShell::Bash, "a", &[value]), format!("{value}\n"));
        assert_eq!(written(CompletingShell::Elvish, "a", &[value]), format!("{value}\n"));
        assert_eq!(written(CompletingShell::Fish, "a", &[value]), format!("{value}\twhat: it\\is\n"));
        assert_eq!(written(CompletingShell::Zsh, "a", &[value]), "a b$(x)\\\\\\:y:what: it\\\\is\n");
    }

    #[test]
    fn each_shell_has_a_script_that_asks_the_program() {
        for shell in CompletingShell::value_variants() {
            let script = shell.script(Path::new("/a place/hustings"));
            assert!(script.contains(VARIABLE) && script.contains("'/a place/hustings'"), "{shell:?}: {script}");
        }
    }
}
