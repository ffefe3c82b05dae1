//! Enums whose variant is named by a field of the same JSON object, as `kind` names it in
//! `{"number":3,"at":5,"kind":"spawned","pid":7}`.
//!
//! serde can do this too, but keeps every object in memory before it knows the variant, and is compiled anew for each field
//! in that form. Here the text is read once for its outer fields, and once more for those of the variant. The enum has what
//! serde derives for `remote = "Self"`: functions that read and write it as its variant alone.

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde::ser::{self, Impossible, SerializeMap, SerializeStruct, SerializeStructVariant, Serializer};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};

/// Reads the fields that every such object has.
pub fn read_outer<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, serde_json::Error> {
    // A list would do for serde too: it names no fields.
    if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
    } else {
        Err(de::Error::custom("this is no object"))
    }
}

/// Reads the variant of this name, with its fields; `None` if the enum has no such variant.
pub fn read_variant<'a, 'de, T>(
    name: &'a str,
    text: &'de str,
    read: impl FnOnce(VariantText<'a, 'de>) -> Result<T, VariantError>,
) -> Result<Option<T>, serde_json::Error> {
    match read(VariantText { name, text }) {
        Ok(read) => Ok(Some(read)),
        Err(VariantError::Unknown) => Ok(None),
        Err(VariantError::Json(error)) => Err(error),
    }
}

/// Where the variant's name, in the field `tag`, and its fields are written: an object that was begun.
pub fn variant_of<'a, M: SerializeMap>(object: &'a mut M, tag: &'static str) -> VariantFields<'a, M> {
    VariantFields { object, tag }
}

/// Why there is no variant.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    /// There is none of this name.
    #[error("the variant is not known")]
    Unknown,
    /// The fields cannot be read.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl de::Error for VariantError {
    fn custom<T: Display>(message: T) -> VariantError {
        VariantError::Json(de::Error::custom(message))
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> VariantError {
        VariantError::Unknown
    }
}

/// The variant's name, and the object with its fields.
pub struct VariantText<'a, 'de> {
    name: &'a str,
    text: &'de str,
}

impl<'de> Deserializer<'de> for VariantText<'_, 'de> {
    type Error = VariantError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, VariantError> {
        Err(de::Error::custom("only an enum has a variant"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, VariantError> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for VariantText<'_, 'de> {
    type Error = VariantError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), VariantError> {
        Ok((seed.deserialize(StrDeserializer::<VariantError>::new(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantText<'_, 'de> {
    type Error = VariantError;

    fn unit_variant(self) -> Result<(), VariantError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, VariantError> {
        Ok(seed.deserialize(&mut serde_json::Deserializer::from_str(self.text))?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, VariantError> {
        Err(de::Error::custom("a field has a name"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, VariantError> {
        Ok(serde_json::Deserializer::from_str(self.text).deserialize_map(visitor)?)
    }
}

/// Writes the fields of a variant, or of the struct in it, into an object.
pub struct VariantFields<'a, M> {
    object: &'a mut M,
    tag: &'static str,
}

/// A variant's fields, one by one.
pub struct ObjectFields<'a, M>(&'a mut M);

/// serde has a trait for the fields of a struct and one for those of a variant: both write entries here.
macro_rules! write_entries {
    ($($of:ident),*) => {
        $(impl<M: SerializeMap> $of for ObjectFields<'_, M> {
            type Ok = ();
            type Error = M::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), M::Error> {
                self.0.serialize_entry(name, value)
            }

            fn end(self) -> Result<(), M::Error> {
                Ok(())
            }
        })*
    };
}

write_entries!(SerializeStruct, SerializeStructVariant);

/// Everything else is refused: a variant has named fields or none.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(fn $method(self $(, _: $argument)*) -> Result<$result, M::Error> {
            Err(ser::Error::custom("a variant is a struct, holds one, or has no fields"))
        })*
    };
}

impl<'a, M: SerializeMap> Serializer for VariantFields<'a, M> {
    type Ok = ();
    type Error = M::Error;
    type SerializeSeq = Impossible<(), M::Error>;
    type SerializeTuple = Impossible<(), M::Error>;
    type SerializeTupleStruct = Impossible<(), M::Error>;
    type SerializeTupleVariant = Impossible<(), M::Error>;
    type SerializeMap = Impossible<(), M::Error>;
    type SerializeStruct = ObjectFields<'a, M>;
    type SerializeStructVariant = ObjectFields<'a, M>;

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), M::Error> {
        self.object.serialize_entry(self.tag, variant)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.object.serialize_entry(self.tag, variant)?;
        value.serialize(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ObjectFields<'a, M>, M::Error> {
        self.object.serialize_entry(self.tag, variant)?;
        Ok(ObjectFields(self.object))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ObjectFields<'a, M>, M::Error> {
        Ok(ObjectFields(self.object))
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), M::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), M::Error> {
        value.serialize(self)
    }
}
