//! Patches of the crate `json_patch`.

use json_patch::{Patch as ForeignPatch, PatchOperation};
use serde_json::Value;

use super::{Operation, Patch};
use crate::document::encode;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer::Pointer;

/// What reading its text would give, within the same limits.
pub(super) fn read(patch: &ForeignPatch, limits: &Limits) -> Result<Patch> {
    limits.check_operations(patch.0.len())?;
    let mut weight = 0;
    let mut encoded = |value: &Value| {
        let value = encode(value, limits)?;
        weight += value.weight();
        limits.check_document(weight)?;
        Ok(value)
    };
    let operations = patch.iter().enumerate().map(|(index, one)| operation(one, limits, &mut encoded).map_err(|error| error.in_op(index)));
    Ok(Patch { operations: operations.collect::<Result<_>>()? })
}

fn operation(operation: &PatchOperation, limits: &Limits, value: &mut dyn FnMut(&Value) -> Result<Node>) -> Result<Operation> {
    let pointer = |text: &str| Pointer::parse_bytes(text.as_bytes(), limits);
    Ok(match operation {
        PatchOperation::Add(one) => Operation::Add { path: pointer(one.path.as_str())?, value: value(&one.value)? },
        PatchOperation::Remove(one) => Operation::Remove { path: pointer(one.path.as_str())? },
        PatchOperation::Replace(one) => Operation::Replace { path: pointer(one.path.as_str())?, value: value(&one.value)? },
        PatchOperation::Move(one) => Operation::Move { from: pointer(one.from.as_str())?, path: pointer(one.path.as_str())? },
        PatchOperation::Copy(one) => Operation::Copy { from: pointer(one.from.as_str())?, path: pointer(one.path.as_str())? },
        PatchOperation::Test(one) => Operation::Test { path: pointer(one.path.as_str())?, value: value(&one.value)? },
    })
}
