//! A map from nodes: a vector in the order of their numbers.
//!
//! A lab has few nodes, so that this is smaller and faster than a tree, and compiled in a tenth of the time for each kind
//! of value. It reads and writes as `BTreeMap` does.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;
use std::slice;
use std::vec;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::NodeId;

/// A value for each of some nodes.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct NodeMap<V> {
    /// Ascending, each node once.
    entries: Vec<(NodeId, V)>,
}

impl<V> NodeMap<V> {
    /// A map of no nodes.
    pub const fn new() -> NodeMap<V> {
        NodeMap { entries: Vec::new() }
    }

    /// How many nodes are in it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no node is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The place of the node, or the place where it would be.
    fn place(&self, node: NodeId) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&node, |(of, _)| *of)
    }

    /// The node's value.
    pub fn get(&self, node: &NodeId) -> Option<&V> {
        self.place(*node).ok().map(|place| &self.entries[place].1)
    }

    /// The node's value, to be changed.
    pub fn get_mut(&mut self, node: &NodeId) -> Option<&mut V> {
        self.place(*node).ok().map(|place| &mut self.entries[place].1)
    }

    /// Whether the node is in it.
    pub fn contains_key(&self, node: &NodeId) -> bool {
        self.place(*node).is_ok()
    }

    /// Gives the node this value, and returns the one before.
    pub fn insert(&mut self, node: NodeId, value: V) -> Option<V> {
        match self.place(node) {
            Ok(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            Err(place) => {
                self.entries.insert(place, (node, value));
                None
            }
        }
    }

    /// Takes the node out of it.
    pub fn remove(&mut self, node: &NodeId) -> Option<V> {
        self.place(*node).ok().map(|place| self.entries.remove(place).1)
    }

    /// The node's value; if it has none, it gets this one.
    pub fn get_or_insert_with(&mut self, node: NodeId, value: impl FnOnce() -> V) -> &mut V {
        let place = self.place(node).unwrap_or_else(|place| {
            self.entries.insert(place, (node, value()));
            place
        });
        &mut self.entries[place].1
    }

    /// The node's value; if it has none, it gets the default one.
    pub fn get_or_default(&mut self, node: NodeId) -> &mut V
    where
        V: Default,
    {
        self.get_or_insert_with(node, V::default)
    }

    /// The node of the lowest number, and its value.
    pub fn first_key_value(&self) -> Option<(&NodeId, &V)> {
        self.entries.first().map(pair)
    }

    /// The node of the highest number, and its value.
    pub fn last_key_value(&self) -> Option<(&NodeId, &V)> {
        self.entries.last().map(pair)
    }

    /// Keeps only what is asked for.
    pub fn retain(&mut self, mut keep: impl FnMut(&NodeId, &mut V) -> bool) {
        self.entries.retain_mut(|(node, value)| keep(node, value));
    }

    /// Takes all nodes out of it.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The nodes and their values, ascending.
    pub fn iter(&self) -> Iter<'_, V> {
        self.entries.iter().map(pair)
    }

    /// The nodes and their values, ascending; the values can be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, V> {
        self.entries.iter_mut().map(|(node, value)| (node, value))
    }

    /// The nodes, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &NodeId> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(node, _)| node)
    }

    /// The values, in the order of their nodes.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, in the order of their nodes, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The nodes, ascending.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator {
        self.entries.into_iter().map(|(node, _)| node)
    }

    /// The values, in the order of their nodes.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }
}

/// [`NodeMap::iter`].
pub type Iter<'a, V> = std::iter::Map<slice::Iter<'a, (NodeId, V)>, fn(&'a (NodeId, V)) -> (&'a NodeId, &'a V)>;
/// [`NodeMap::iter_mut`].
pub type IterMut<'a, V> =
    std::iter::Map<slice::IterMut<'a, (NodeId, V)>, fn(&'a mut (NodeId, V)) -> (&'a NodeId, &'a mut V)>;

fn pair<V>((node, value): &(NodeId, V)) -> (&NodeId, &V) {
    (node, value)
}

impl<V> Default for NodeMap<V> {
    fn default() -> NodeMap<V> {
        NodeMap::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for NodeMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<V> Index<&NodeId> for NodeMap<V> {
    type Output = V;

    fn index(&self, node: &NodeId) -> &V {
        self.get(node).expect("the node is in the map")
    }
}

impl<V> Extend<(NodeId, V)> for NodeMap<V> {
    fn extend<I: IntoIterator<Item = (NodeId, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(node, value)| drop(self.insert(node, value)));
    }
}

impl<V> FromIterator<(NodeId, V)> for NodeMap<V> {
    fn from_iter<I: IntoIterator<Item = (NodeId, V)>>(entries: I) -> NodeMap<V> {
        let mut map = NodeMap::new();
        map.extend(entries);
        map
    }
}

impl<V, const N: usize> From<[(NodeId, V); N]> for NodeMap<V> {
    fn from(entries: [(NodeId, V); N]) -> NodeMap<V> {
        entries.into_iter().collect()
    }
}

impl<V> IntoIterator for NodeMap<V> {
    type Item = (NodeId, V);
    type IntoIter = vec::IntoIter<(NodeId, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, V> IntoIterator for &'a NodeMap<V> {
    type Item = (&'a NodeId, &'a V);
    type IntoIter = Iter<'a, V>;

    fn into_iter(self) -> Iter<'a, V> {
        self.iter()
    }
}

impl<'a, V> IntoIterator for &'a mut NodeMap<V> {
    type Item = (&'a NodeId, &'a mut V);
    type IntoIter = IterMut<'a, V>;

    fn into_iter(self) -> IterMut<'a, V> {
        self.iter_mut()
    }
}

impl<V: Serialize> Serialize for NodeMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for NodeMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NodeMap<V>, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = NodeMap<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from nodes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<NodeMap<V>, A::Error> {
                let mut map = NodeMap::new();
                while let Some((node, value)) = access.next_entry()? {
                    map.insert(node, value);
                }
                Ok(map)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_as_a_tree(puts in vec((1..40u16, any::<bool>(), any::<u8>()), 0..80)) {
            let (mut map, mut tree) = (NodeMap::new(), BTreeMap::new());
            for (number, puts, value) in puts {
                let node = NodeId::new(number).unwrap();
                match puts {
                    true => prop_assert_eq!(map.insert(node, value), tree.insert(node, value)),
                    false => prop_assert_eq!(map.remove(&node), tree.remove(&node)),
                }
                prop_assert_eq!(map.get(&node), tree.get(&node));
                *map.get_or_default(node) ^= 3;
                *tree.entry(node).or_default() ^= 3;
            }
            prop_assert!(map.iter().eq(&tree) && map.first_key_value() == tree.first_key_value());
            prop_assert_eq!(format!("{map:?}"), format!("{tree:?}"));
            let text = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(&text, &serde_json::to_string(&tree).unwrap());
            prop_assert_eq!(serde_json::from_str::<NodeMap<u8>>(&text).unwrap(), map.clone());
            let code = |what: &dyn Fn() -> Result<Vec<u8>, bincode::error::EncodeError>| what().unwrap();
            let config = bincode::config::standard();
            let bytes = code(&|| bincode::serde::encode_to_vec(&map, config));
            prop_assert_eq!(&bytes, &code(&|| bincode::serde::encode_to_vec(&tree, config)));
            prop_assert_eq!(bincode::serde::decode_from_slice::<NodeMap<u8>, _>(&bytes, config).unwrap().0, map);
        }
    }
}
