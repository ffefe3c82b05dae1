//! The page as a reader of HTML that is not ours takes it.
//!
//! Invariant: whatever a session says, the page has the elements, the attributes and the one script of this folder.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::*;

#[test]
fn the_pages_rule_names_the_one_script() {
    let digest = format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(SCRIPT)));
    assert_eq!(SCRIPT_DIGEST, digest, "put this into SCRIPT_DIGEST");
    for maker in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function", "fetch", "http"] {
        assert!(!SCRIPT.contains(maker) && !STYLE.contains(maker), "{maker}");
    }
    assert!(!SCRIPT.contains("</") && !STYLE.contains("</") && !STYLE.contains("url("));
}
