//! Patches in values of Rust, by Serde.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Patch, PatchOperation, codec};
use crate::document;
use crate::limits::Limits;

/// The list of its operations, as its text has them.
impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.operations())
    }
}

impl Serialize for PatchOperation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = match self {
            PatchOperation::Remove { .. } => 2,
            PatchOperation::StrIns { .. } => 4,
            _ => 3,
        };
        let mut members = serializer.serialize_map(Some(length))?;
        members.serialize_entry("op", self.name())?;
        if let PatchOperation::Move { from, .. } | PatchOperation::Copy { from, .. } = self {
            members.serialize_entry("from", &String::from(*from))?;
        }
        members.serialize_entry("path", &String::from(self.path()))?;
        match self {
            PatchOperation::Add { value, .. } | PatchOperation::Replace { value, .. } | PatchOperation::Test { value, .. } => {
                members.serialize_entry("value", value)?;
            }
            PatchOperation::StrIns { position, text, .. } => {
                members.serialize_entry("pos", position)?;
                members.serialize_entry("str", text)?;
            }
            // As its text has it: a whole number without a point.
            PatchOperation::Inc { by, .. } => members.serialize_entry("inc", &document::Number(*by))?,
            PatchOperation::Remove { .. } | PatchOperation::Move { .. } | PatchOperation::Copy { .. } => {}
        }
        members.end()
    }
}

/// As [`Patch::parse`] reads it, of any format, within the default [`Limits`].
impl<'de> Deserialize<'de> for Patch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Patch, D::Error> {
        let limits = Limits::default();
        let around = Limits { depth: limits.depth + codec::LEVELS, ..limits };
        codec::read(&document::read(deserializer, &around)?, &limits).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_written_as_its_text_and_read_back() {
        let text = concat!(
            r#"[{"op":"add","path":"/a~1b/-","value":{"b":[1,2.5]}},{"op":"remove","path":""},{"op":"replace","path":"/a","value":null},"#,
            r#"{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/a","value":"x"},"#,
            r#"{"op":"str_ins","path":"/s","pos":3,"str":"é"},{"op":"inc","path":"/n","inc":-2},{"op":"inc","path":"/n","inc":0.5}]"#
        );
        let patch = Patch::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&patch).unwrap(), text);
        assert_eq!(serde_json::from_str::<Patch>(text).unwrap(), patch);
        assert_eq!(serde_json::from_value::<Patch>(serde_json::to_value(&patch).unwrap()).unwrap(), patch);
        let error = serde_json::from_str::<Patch>(r#"[{"op":"remove","path":"/a"},{"op":"add","path":"/a"}]"#).unwrap_err();
        assert_eq!(error.to_string(), "INVALID_PATCH: the operation needs a value (operation 1, at '/a')");
    }

    #[test]
    fn limits_are_those_of_texts() {
        let nested = |levels: usize| format!(r#"[{{"op":"test","path":"","value":{}{}}}]"#, "[".repeat(levels), "]".repeat(levels));
        let read = |text: &str| {
            let mut source = serde_json::Deserializer::from_str(text);
            source.disable_recursion_limit();
            Patch::deserialize(&mut source).is_ok()
        };
        for levels in [1, 511, 512, 513, 10_000] {
            assert_eq!(read(&nested(levels)), Patch::parse(nested(levels)).is_ok());
        }
    }
}
