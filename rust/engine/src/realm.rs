//! The realm that cells run in: what is taken away from it, and the primordials that our own code uses.
//!
//! A guest may replace anything it can reach. Native code therefore never looks a built-in up when it needs it, but keeps
//! the ones of the boot here.

mod clones;

use crate::{
    ffi::{Atom, JsResult, Kind, Thrown, Value, exotic, vm},
    guest,
};

/// Frames that an `Error` remembers.
const STACK_FRAMES: i32 = 32;

/// Primordials and what else lives as long as the VM.
pub(crate) struct Realm {
    pub(crate) atoms: Atoms,
    /// Class of the objects in [`exotic`].
    pub(crate) exotic_class: u32,
    /// Functions and lists that were made on first touch, by name; one holder per table.
    pub(crate) made_tools: Value,
    pub(crate) made_globals: Value,
    /// `MCP` and `namespaces`.
    pub(crate) made_roots: Value,
    plain_class: u32,
    boxed: [Boxed; 5],
    error: Value,
    error_stack: Value,
    big_int: Value,
    to_iso: Value,
    reg_exp_source: Value,
    reg_exp_flags: Value,
    map_entries: Value,
    map_next: Value,
    set_values: Value,
    set_next: Value,
    bytes_per_element: Atom,
    done: Atom,
    value: Atom,
    /// Errors that stand for failed calls: a `WeakSet`, so that no guest object can claim to be one.
    failures: Value,
    failures_add: Value,
    failures_has: Value,
    pub(crate) clones: clones::Clones,
}

/// Property names that are needed often.
pub(crate) struct Atoms {
    pub(crate) to_json: Atom,
    pub(crate) stack: Atom,
    pub(crate) cause: Atom,
}

struct Boxed {
    class: u32,
    value_of: Value,
}

impl Realm {
    /// Hardens the realm of a context that has just been made and installs the guest API.
    pub(crate) fn new() -> JsResult<Self> {
        let globals = vm::globals();
        // Shared memory is a timer and escapes the accounting of the heap.
        for name in ["SharedArrayBuffer", "Atomics"] {
            globals.delete(name)?;
        }
        let error = globals.get("Error")?;
        error.set("stackTraceLimit", Value::int(STACK_FRAMES))?;
        // Hooks that run guest code while the engine builds an error, and hand out every function on the stack.
        for name in ["stackTraceLimit", "prepareStackTrace"] {
            error.delete(name)?;
        }
        let prototype_of = |name: &str| globals.get(name)?.get("prototype");
        let error_stack = prototype_of("Error")?.own_getter("stack")?;
        let weak_set = globals.get("WeakSet")?;
        let map_entries = prototype_of("Map")?.get("entries")?;
        let set_values = prototype_of("Set")?.get("values")?;
        let iterator_next = |constructor: &str, method: &Value| -> JsResult<Value> {
            let empty = globals.get(constructor)?.construct(&[])?;
            method.call(&empty, &[])?.get("next")
        };
        let object = globals.get("Object")?;
        let boxed = |value: Value, constructor: &str| -> JsResult<Boxed> {
            let class = object.call(&Value::UNDEFINED, &[value])?.class();
            Ok(Boxed { class, value_of: prototype_of(constructor)?.get("valueOf")? })
        };
        let exotic_class =
            exotic::register().ok_or_else(|| Thrown::type_error("class can't be registered"))?;
        let realm = Self {
            atoms: Atoms {
                to_json: Atom::new("toJSON")?,
                stack: Atom::new("stack")?,
                cause: Atom::new("cause")?,
            },
            exotic_class,
            made_tools: Value::bare_object()?,
            made_globals: Value::bare_object()?,
            made_roots: Value::bare_object()?,
            plain_class: Value::object()?.class(),
            boxed: [
                boxed(Value::int(0), "Number")?,
                boxed(Value::string("")?, "String")?,
                boxed(Value::bool(false), "Boolean")?,
                boxed(Value::big_int(0)?, "BigInt")?,
                boxed(globals.get("Symbol")?.get("iterator")?, "Symbol")?,
            ],
            error_stack,
            big_int: globals.get("BigInt")?,
            to_iso: prototype_of("Date")?.get("toISOString")?,
            reg_exp_source: prototype_of("RegExp")?.own_getter("source")?,
            reg_exp_flags: prototype_of("RegExp")?.own_getter("flags")?,
            map_next: iterator_next("Map", &map_entries)?,
            set_next: iterator_next("Set", &set_values)?,
            map_entries,
            set_values,
            bytes_per_element: Atom::new("BYTES_PER_ELEMENT")?,
            done: Atom::new("done")?,
            value: Atom::new("value")?,
            failures: weak_set.construct(&[])?,
            failures_add: weak_set.get("prototype")?.get("add")?,
            failures_has: weak_set.get("prototype")?.get("has")?,
            clones: clones::Clones::new(&globals)?,
            error,
        };
        guest::install(&globals, &realm)?;
        Ok(realm)
    }

    /// Whether an object is an ordinary one, without internal slots.
    pub(crate) fn is_plain(&self, value: &Value) -> bool {
        value.class() == self.plain_class
    }

    /// The primitive in a `Number`, `String`, `Boolean`, `BigInt` or `Symbol` object.
    pub(crate) fn unbox(&self, value: &Value) -> JsResult<Option<Value>> {
        let class = value.class();
        match self.boxed.iter().find(|boxed| boxed.class == class) {
            Some(boxed) => boxed.value_of.call(value, &[]).map(Some),
            None => Ok(None),
        }
    }

    /// ISO 8601 text of a `Date`; an error if it is invalid.
    pub(crate) fn date_to_iso(&self, date: &Value) -> JsResult<Value> {
        self.to_iso.call(date, &[])
    }

    /// A regular expression as `/source/flags`.
    pub(crate) fn reg_exp_to_text(&self, value: &Value) -> JsResult<Value> {
        let (source, flags) = self.reg_exp_parts(value)?;
        Value::string(&format!("/{}/{}", source.to_text()?, flags.to_text()?))
    }

    /// Source and flags of a regular expression.
    pub(crate) fn reg_exp_parts(&self, value: &Value) -> JsResult<(Value, Value)> {
        Ok((self.reg_exp_source.call(value, &[])?, self.reg_exp_flags.call(value, &[])?))
    }

    pub(crate) fn iterate_set(&self, set: &Value) -> JsResult<Vec<Value>> {
        let iterator = self.set_values.call(set, &[])?;
        self.drain(&iterator, &self.set_next)
    }

    pub(crate) fn iterate_map(&self, map: &Value) -> JsResult<Vec<(Value, Value)>> {
        let iterator = self.map_entries.call(map, &[])?;
        self.drain(&iterator, &self.map_next)?
            .into_iter()
            .map(|pair| Ok((pair.get_index(0)?, pair.get_index(1)?)))
            .collect()
    }

    fn drain(&self, iterator: &Value, next: &Value) -> JsResult<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            let step = next.call(iterator, &[])?;
            if step.get_atom(&self.done)?.kind() == Kind::Bool(true) {
                return Ok(items);
            }
            items.push(step.get_atom(&self.value)?);
        }
    }

    pub(crate) fn bytes_per_element(&self, typed_array: &Value) -> JsResult<i64> {
        // Inherited from a prototype that a guest may change: a wrong size only makes its own limit wrong.
        Ok(typed_array
            .get_atom(&self.bytes_per_element)?
            .as_number()
            .map_or(1, |size| size.clamp(1.0, 16.0) as i64))
    }

    /// A `BigInt` from decimal digits.
    pub(crate) fn big_int(&self, digits: &str) -> JsResult<Value> {
        self.big_int.call(&Value::UNDEFINED, &[Value::string(digits)?])
    }

    /// The frames of the code that runs now, as the engine writes them.
    pub(crate) fn stack_here(&self) -> JsResult<Value> {
        self.stack_of(&self.error.construct(&[])?)
    }

    /// The frames that an `Error` remembers.
    pub(crate) fn stack_of(&self, error: &Value) -> JsResult<Value> {
        self.error_stack.call(error, &[])
    }

    /// Makes an error stand for a failed call.
    pub(crate) fn mark_failure(&self, error: &Value) -> JsResult<()> {
        self.failures_add.call(&self.failures, std::slice::from_ref(error)).map(drop)
    }

    /// Whether an error stands for a failed call.
    pub(crate) fn is_failure(&self, error: &Value) -> bool {
        error.is_object()
            && self
                .failures_has
                .call(&self.failures, std::slice::from_ref(error))
                .is_ok_and(|found| found.kind() == Kind::Bool(true))
    }
}
