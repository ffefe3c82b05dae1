//! Signatures of processes: Ed25519 (RFC 8032). Who has signed something has said it, whoever hands it on.
//!
//! The keys of a lab are drawn from its seed, so a session can be verified by what its head says. A process is given its
//! own secret key and everybody's public ones.
//!
//! Invariant: a secret key is not shown by `Debug` and stands in no record; it leaves a keyring only in the plan of the
//! process that it belongs to.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use super::NodeId;

/// Whether the processes of an algorithm have keys.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum KeyUse {
    /// Sign nothing.
    None,
    /// Each signs what it says.
    Signs,
}

/// A signature of 64 bytes.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The point `R` of RFC 8032.
    pub r: [u8; 32],
    /// The number `S` of RFC 8032.
    pub s: [u8; 32],
}

/// The first bytes: enough to tell two apart.
impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({:02x}{:02x}{:02x}..)", self.r[0], self.r[1], self.r[2])
    }
}

/// The public key of a process.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key of these bytes; `None` if they are no point of the curve.
    pub fn of(bytes: &[u8; 32]) -> Option<PublicKey> {
        VerifyingKey::from_bytes(bytes).ok().map(PublicKey)
    }

    /// Whether the owner of this key has signed that.
    pub fn verifies(&self, content: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_components(signature.r, signature.s);
        self.0.verify_strict(content, &signature).is_ok()
    }
}

/// What a process signs with and verifies with.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "KeyringText", try_from = "KeyringText")]
pub struct Keyring(Arc<OwnAndPublic>);

struct OwnAndPublic {
    own: SigningKey,
    public: Arc<[PublicKey]>,
}

impl Keyring {
    /// Signs that with this process's key.
    pub fn sign(&self, content: &[u8]) -> Signature {
        let signature = self.0.own.sign(content);
        Signature { r: *signature.r_bytes(), s: *signature.s_bytes() }
    }

    /// Whether that node has signed that.
    pub fn verifies(&self, by: NodeId, content: &[u8], signature: &Signature) -> bool {
        let key = self.0.public.get(usize::from(by.get()) - 1);
        key.is_some_and(|key| key.verifies(content, signature))
    }
}

/// The public keys, and not the secret one.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyring({} public keys)", self.0.public.len())
    }
}

impl PartialEq for Keyring {
    fn eq(&self, other: &Keyring) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.own == other.0.own && self.0.public == other.0.public)
    }
}

impl Eq for Keyring {}

impl Hash for Keyring {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.own.verifying_key().hash(state);
    }
}

/// The keys of all processes of one lab.
#[derive(Clone, Debug)]
pub struct LabKeys {
    seed: u64,
    public: Arc<[PublicKey]>,
}

impl LabKeys {
    /// The keys of nodes 1 to `nodes` in a lab with that seed.
    pub fn of(seed: u64, nodes: u16) -> LabKeys {
        let public = (1..=nodes).map(|node| PublicKey(secret_of(seed, node).verifying_key())).collect();
        LabKeys { seed, public }
    }

    /// The same, if the algorithm's Card asks for keys.
    pub fn asked_for(keys: KeyUse, seed: u64, nodes: u16) -> Option<LabKeys> {
        match keys {
            KeyUse::None => None,
            KeyUse::Signs => Some(LabKeys::of(seed, nodes)),
        }
    }

    /// The keyring of this node, which is one of them.
    pub fn keyring(&self, me: NodeId) -> Keyring {
        let own = secret_of(self.seed, me.get());
        Keyring(Arc::new(OwnAndPublic { own, public: Arc::clone(&self.public) }))
    }
}

fn secret_of(seed: u64, node: u16) -> SigningKey {
    let mut material = [0; 10];
    material[..8].copy_from_slice(&seed.to_le_bytes());
    material[8..].copy_from_slice(&node.to_le_bytes());
    SigningKey::from_bytes(&blake3::derive_key("hustings: the signing key of a process", &material))
}

/// A keyring as it stands in the plan of its process.
#[derive(Clone, Serialize, Deserialize)]
struct KeyringText {
    own: [u8; 32],
    public: Vec<[u8; 32]>,
}

impl From<Keyring> for KeyringText {
    fn from(keyring: Keyring) -> KeyringText {
        let OwnAndPublic { own, public } = &*keyring.0;
        KeyringText { own: own.to_bytes(), public: public.iter().map(|key| key.0.to_bytes()).collect() }
    }
}

impl TryFrom<KeyringText> for Keyring {
    type Error = &'static str;

    fn try_from(text: KeyringText) -> Result<Keyring, &'static str> {
        let public: Option<Arc<[PublicKey]>> = text.public.iter().map(PublicKey::of).collect();
        let public = public.ok_or("a public key is no point of the curve")?;
        Ok(Keyring(Arc::new(OwnAndPublic { own: SigningKey::from_bytes(&text.own), public })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        bytes.try_into().unwrap()
    }

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    /// RFC 8032, section 7.1, tests 1 to 3: public key, message, `R` and `S`.
    fn foreign() -> [(PublicKey, Vec<u8>, Signature); 3] {
        [
            (
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                vec![],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
                "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                vec![0x72],
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
                "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                vec![0xaf, 0x82],
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
                "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ]
        .map(|(key, message, r, s)| {
            (PublicKey::of(&bytes(key)).unwrap(), message, Signature { r: bytes(r), s: bytes(s) })
        })
    }

    #[test]
    fn a_true_signature_of_a_foreign_signer_verifies_and_no_altered_one_does() {
        let foreign = foreign();
        for (place, (key, message, signature)) in foreign.iter().enumerate() {
            assert!(key.verifies(message, signature), "test {}", place + 1);
            let other = &foreign[(place + 1) % 3];
            assert!(!other.0.verifies(message, signature), "another signer's key");
            assert!(!key.verifies(&other.1, signature), "another message");
            for byte in 0..32 {
                let (mut r, mut s) = (*signature, *signature);
                (r.r[byte], s.s[byte]) = (r.r[byte] ^ 1, s.s[byte] ^ 1);
                assert!(!key.verifies(message, &r) && !key.verifies(message, &s), "byte {byte}");
            }
        }
    }

    #[test]
    fn each_process_signs_with_its_own_key_and_all_verify_it() {
        let keys = LabKeys::of(7, 3);
        let signature = keys.keyring(node(2)).sign(b"init");
        for reader in 1..=3 {
            let ring = keys.keyring(node(reader));
            let signers: Vec<u16> = (1..=4).filter(|by| ring.verifies(node(*by), b"init", &signature)).collect();
            assert_eq!(signers, [2], "by the ring of {reader}");
            assert!(!ring.verifies(node(2), b"vect", &signature));
        }
        assert!(!LabKeys::of(8, 3).keyring(node(1)).verifies(node(2), b"init", &signature), "another lab's seed");
    }

    #[test]
    fn a_keyring_travels_in_its_plan_and_debug_does_not_show_the_secret() {
        let ring = LabKeys::of(7, 2).keyring(node(1));
        let text = serde_json::to_string(&ring).unwrap();
        assert_eq!(serde_json::from_str::<Keyring>(&text).unwrap(), ring);
        assert_eq!(format!("{ring:?}"), "Keyring(2 public keys)");
    }
}
