//! Guest values to JSON text and back, natively: no guest-visible `JSON`, no intermediate string. Rules in docs/values.md.

mod decode;
mod encode;
mod number;
mod text;

pub(crate) use decode::decode;
pub(crate) use encode::{EncodeError, Purpose, encode};
pub(crate) use text::{append_json_string, well_formed};
