//! Keeps counterexamples: each as a lab file, and as the session that the simulator makes of it.
//!
//! Invariant: nothing that is there already is replaced.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::new_file::{self, Existing};
use super::super::output::remark;
use super::super::{code, lab_files, simulated};
use explore::{ExploreReport, ExploreTerms, ExploredClaim, PropertyFound, WrittenLab};
use record::Recording;
use sim::Plan;

/// Makes this directory, and sees whether it has room for whatever the search may find.
///
/// # Errors
/// It cannot be made, or has a file of such a name; stderr has the reason, and this is the exit code.
pub fn prepare(directory: &Path, terms: &ExploreTerms) -> Result<(), u8> {
    std::fs::create_dir_all(directory).map_err(|error| {
        remark(format!("{}: {error}", directory.display()));
        code::ENVIRONMENT
    })?;
    let promises = terms.lab.card.promises.iter().map(|property| ExploredClaim::Promise(*property));
    let claims = promises.chain(terms.questions.iter().cloned().map(ExploredClaim::Question));
    let files = claims.map(|claim| KeptFiles::of(directory, &terms.lab.name, &claim));
    let taken = files.flat_map(|files| [files.lab, files.session]).find(|file| file.symlink_metadata().is_ok());
    match taken {
        None => Ok(()),
        Some(file) => {
            remark(format!("{} is there already; name another directory with --keep", file.display()));
            Err(code::ENVIRONMENT)
        }
    }
}

/// Writes a lab file and a session into this directory, which was prepared, for each property that was found false.
///
/// # Errors
/// One could not be written; stderr has the reason, and this is the exit code.
pub fn keep(directory: &Path, terms: &ExploreTerms, report: &ExploreReport) -> Result<(), u8> {
    for (claim, found) in &report.rows {
        let PropertyFound::False(example) = found else { continue };
        let Some(written) = example.lab.written() else { continue };
        let files = KeptFiles::of(directory, &terms.lab.name, claim);
        files.write(written)?;
        remark(format!("{claim}: kept in {} and {}", files.lab.display(), files.session.display()));
    }
    Ok(())
}

/// The two files of a counterexample.
struct KeptFiles {
    lab: PathBuf,
    session: PathBuf,
}

impl KeptFiles {
    fn of(directory: &Path, name: &str, claim: &ExploredClaim) -> KeptFiles {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name = format!("{name}-{}", claim.to_string().replace(' ', "-"));
        let name: String = name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
        let file = |ending: &str| directory.join(format!("{name}.{ending}"));
        KeptFiles { lab: file("toml"), session: file("jsonl.zst") }
    }

    fn write(&self, written: &WrittenLab) -> Result<(), u8> {
        let refused = |path: &Path, error: &io::Error| {
            remark(format!("{}: {error}", path.display()));
            if error.kind() == io::ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(error) }
        };
        new_file::write(&self.lab, Existing::Kept, &mut |file| file.write_all(written.text.as_bytes()))
            .map_err(|error| refused(&self.lab, &error))?;
        let text = lab_files::LabText { name: self.lab.display().to_string(), text: written.text.clone() };
        let plan = Plan::of(Arc::new(lab_files::parse(&text)?));
        simulated::run(&plan, None, &Recording::To(self.session.clone()), &mut |_| {})
            .map_err(|error| refused(&self.session, &error))?;
        Ok(())
    }
}
