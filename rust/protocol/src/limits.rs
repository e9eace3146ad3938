//! The limits of one cell, as the worker measures them.

use serde::{Deserialize, Serialize};

/// What the worker enforces for one cell. The host clamps configuration to its ranges first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of guest heap, the engine's own included. 1 MiB to 1 GiB.
    pub heap_bytes: u64,
    /// UTF-8 bytes of the JSON of output items, value and error that the cell may still emit.
    ///
    /// The host subtracts what earlier legs emitted.
    pub output_bytes: u64,
    /// What happens when `output_bytes` is exceeded.
    pub output_overflow: OutputOverflow,
    /// Bytes of a serialized continuation. 1 KiB to 256 MiB.
    pub snapshot_bytes: u64,
    /// Bytes of the encoded arguments, or of the encoded result, of one call.
    pub bridge_bytes: u64,
    /// Calls that may be unsettled at once, waiting ones included; one more ends the cell.
    pub outstanding_calls: u32,
    /// Depth of nesting of a value that crosses the bridge.
    pub value_depth: u32,
    /// How integers beyond ±(2^53 − 1) enter the guest.
    pub big_integers: BigIntegers,
}

/// What happens to output beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputOverflow {
    /// The cell ends with `output_limit_exceeded`.
    Fail,
    /// The worker goes on emitting; the host keeps head and tail.
    Truncate,
}

/// How integers beyond ±(2^53 − 1) enter the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BigIntegers {
    /// As `BigInt`, exactly.
    BigInt,
    /// As the nearest `Number`.
    Number,
    /// As a string of digits.
    String,
}
