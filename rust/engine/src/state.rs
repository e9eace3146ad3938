//! Everything about a cell that must survive a suspension. It lies in the arena, behind the arena's root.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use toolcell_protocol::{BigIntegers, Call, Failure, Limits, NamespaceKind, OutputOverflow};
use toolcell_source::Positions;

use crate::{ffi::Value, realm::Realm};

/// The root of the arena.
pub(crate) struct State {
    pub(crate) realm: Realm,
    pub(crate) cell: RefCell<CellRecord>,
    pub(crate) limits: RefCell<Limits>,
    /// Bytes of output that may still be emitted.
    pub(crate) output_left: Cell<u64>,
    /// Promise of the cell's value.
    pub(crate) main: RefCell<Option<Value>>,
    /// Calls that the host has not settled, by number.
    pub(crate) pending: RefCell<BTreeMap<u32, Pending>>,
    pub(crate) next_call: Cell<u32>,
    /// Calls of this leg; sent when it is quiescent.
    pub(crate) queue: RefCell<Vec<Call>>,
    /// Timers cleared in this leg that the host knows of.
    pub(crate) cancelled: RefCell<Vec<u32>>,
    /// Rejected promises that nobody has handled, with their reasons.
    pub(crate) rejections: RefCell<Vec<(Value, Value)>>,
    /// Namespaces that the cell has touched; an object of one carries its place in this list.
    pub(crate) namespaces: RefCell<Vec<OpenNamespace>>,
    /// Whether the host knows that the guest has seen words of MCP servers.
    pub(crate) foreign_words: Cell<bool>,
    /// Names looked up in vain under `tools`.
    pub(crate) missing: RefCell<Vec<String>>,
    /// What values that left the cell had in them.
    pub(crate) holes: Holes,
    /// Set when the cell must end whatever the guest does.
    pub(crate) fatal: RefCell<Option<Failure>>,
    /// State of the cell's `Math.random`.
    pub(crate) random: Cell<u64>,
}

/// A namespace whose object a cell has. Its names are looked up in the catalog of the process that the cell is in.
#[derive(Clone)]
pub(crate) struct OpenNamespace {
    pub(crate) kind: NamespaceKind,
    /// The name as its owner spells it.
    pub(crate) name: String,
    pub(crate) object: Value,
    /// Properties that were made on first touch.
    pub(crate) made: Value,
}

/// What values that left the cell had in them and rarely should have.
#[derive(Debug, Default)]
pub(crate) struct Holes {
    /// A promise, in any value.
    pub(crate) promise: Cell<bool>,
    /// `undefined`, in the cell's value or its output.
    pub(crate) undefined: Cell<bool>,
}

/// What is known of the cell itself.
#[derive(Default)]
pub(crate) struct CellRecord {
    pub(crate) id: String,
    pub(crate) scope: [u8; 32],
    /// Hash of the catalog the cell saw.
    pub(crate) catalog: u64,
    /// The program as the model gave it.
    pub(crate) source: String,
    /// From the engine's lines and columns to the model's.
    pub(crate) positions: Option<Positions>,
}

/// What happens when a call is settled.
pub(crate) enum Pending {
    /// A promise is settled.
    Promise {
        resolve: Value,
        reject: Value,
        /// Frames of the call site, for the error of a failed call.
        site: Value,
        /// What the guest gets of the host's answer.
        answer: Answer,
    },
    /// A callback runs.
    Timer { callback: Value, arguments: Vec<Value> },
}

/// What the guest gets of the host's answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The value as it is.
    Value,
    /// Callable handles made of the entries.
    Handles,
    /// The object without its `id`.
    WithoutId,
}

impl State {
    pub(crate) fn new(realm: Realm) -> Self {
        Self {
            realm,
            cell: RefCell::default(),
            limits: RefCell::new(NO_LIMITS),
            output_left: Cell::new(0),
            main: RefCell::new(None),
            pending: RefCell::default(),
            next_call: Cell::new(1),
            queue: RefCell::default(),
            cancelled: RefCell::default(),
            rejections: RefCell::default(),
            namespaces: RefCell::default(),
            foreign_words: Cell::new(false),
            missing: RefCell::default(),
            holes: Holes::default(),
            fatal: RefCell::default(),
            random: Cell::new(1),
        }
    }

    /// Calls that the host has not settled.
    pub(crate) fn outstanding(&self) -> usize {
        self.pending.borrow().len()
    }
}

/// What a base image holds in place of a cell's limits: nothing is allowed.
const NO_LIMITS: Limits = Limits {
    heap_bytes: 0,
    output_bytes: 0,
    output_overflow: OutputOverflow::Fail,
    snapshot_bytes: 0,
    bridge_bytes: 0,
    outstanding_calls: 0,
    value_depth: 0,
    big_integers: BigIntegers::BigInt,
};

/// The state of the VM in this process.
///
/// Shared references only: all fields that change are cells, because native functions are entered again by guest code
/// that they call.
pub(crate) fn state() -> Option<&'static State> {
    crate::root::get()
}
