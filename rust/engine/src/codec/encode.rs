//! Guest values to JSON.
//!
//! Reading a value can run guest code (getters, proxies, `toJSON`), so this runs under the leg's deadline, is bounded in
//! depth and bytes, and uses only primordials taken at boot.

use std::{cell::Cell, collections::HashMap};

use super::{number, text};
use crate::{
    ffi::{Atom, JsResult, Kind, Thrown, Value},
    realm::Realm,
    state::{Holes, state},
};

/// What the JSON is for. The rules differ in what is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An argument of a call: `toJSON` is honoured; cycles and throwing getters are errors.
    Argument,
    /// The cell's value or an output item: cycles and throwing getters become text.
    Result,
}

/// Why a value has no JSON.
#[derive(Debug)]
pub(crate) enum EncodeError {
    /// Guest code threw, or the value can't cross.
    Thrown(Thrown),
    /// More bytes than allowed; the JSON so far.
    TooLarge(Vec<u8>),
}

impl From<Thrown> for EncodeError {
    fn from(thrown: Thrown) -> Self {
        Self::Thrown(thrown)
    }
}

/// Keys whose encoded form is kept: records have few, dictionaries have no use for it.
const MAX_CACHED_KEYS: usize = 256;
/// A binary value of more bytes does not cross.
const MAX_BINARY_BYTES: usize = 64 << 10;
/// Python reads integers of at most this many digits from text.
const MAX_BIG_INT_DIGITS: usize = 4300;
/// Text of an exception inside a value is cut to this many bytes.
const MAX_THROWN_BYTES: usize = 512;

/// Encodes `value`. `undefined` at top level is `null`.
pub(crate) fn encode(
    value: &Value,
    purpose: Purpose,
    max_depth: u32,
    max_bytes: usize,
    realm: &Realm,
) -> Result<Vec<u8>, EncodeError> {
    let output = toolcell_arena::outside(|| Vec::with_capacity(256));
    let mut encoder = Encoder {
        output,
        purpose,
        max_depth: max_depth as usize,
        max_bytes,
        path: Vec::new(),
        keys: HashMap::default(),
        realm,
    };
    let mut result = encoder.top(value);
    if result.is_ok() && encoder.output.len() > max_bytes {
        result = Err(Stop::TooLarge);
    }
    match result {
        Ok(()) => Ok(encoder.output),
        Err(Stop::Thrown(thrown)) => Err(EncodeError::Thrown(thrown)),
        Err(Stop::TooLarge) => Err(EncodeError::TooLarge(encoder.output)),
    }
}

enum Stop {
    Thrown(Thrown),
    TooLarge,
}

impl From<Thrown> for Stop {
    fn from(thrown: Thrown) -> Self {
        Self::Thrown(thrown)
    }
}

struct Encoder<'a> {
    output: Vec<u8>,
    purpose: Purpose,
    max_depth: usize,
    max_bytes: usize,
    /// Addresses of the objects being written, outermost first.
    path: Vec<usize>,
    /// Encoded keys by atom; the atoms are held, so that their numbers stay theirs.
    keys: HashMap<u32, (Atom, Vec<u8>), std::hash::BuildHasherDefault<AtomHasher>>,
    realm: &'a Realm,
}

/// Atoms are small numbers already.
#[derive(Default)]
struct AtomHasher(u64);

impl std::hash::Hasher for AtomHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Whether something was written for a value.
#[derive(PartialEq, Eq)]
enum Written {
    Yes,
    /// `undefined`, a function or a symbol: left out of objects, `null` in arrays.
    No,
}

impl Encoder<'_> {
    fn top(&mut self, value: &Value) -> Result<(), Stop> {
        if self.value(value)? == Written::No {
            if value.is_undefined() {
                self.push(b"null");
            } else {
                let text = describe_callable(value)?;
                self.string(text.as_bytes());
            }
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        toolcell_arena::outside(|| self.output.extend_from_slice(bytes));
    }

    fn string(&mut self, bytes: &[u8]) {
        toolcell_arena::outside(|| text::append_json_string(&mut self.output, bytes));
    }

    fn value(&mut self, value: &Value) -> Result<Written, Stop> {
        match value.kind() {
            Kind::Null => self.push(b"null"),
            Kind::Bool(true) => self.push(b"true"),
            Kind::Bool(false) => self.push(b"false"),
            Kind::Int(number) => {
                toolcell_arena::outside(|| number::append_integer(&mut self.output, i64::from(number)));
            }
            Kind::Float => {
                let number = value.as_number().unwrap_or(f64::NAN);
                toolcell_arena::outside(|| number::append_number(&mut self.output, number));
            }
            Kind::String => value.with_utf8(|bytes| self.string(bytes))?,
            Kind::BigInt => self.big_int(value)?,
            Kind::Object => return self.object(value),
            Kind::Undefined => {
                if self.purpose == Purpose::Result {
                    note(|holes| &holes.undefined);
                }
                return Ok(Written::No);
            }
            Kind::Symbol | Kind::Other => return Ok(Written::No),
        }
        if self.output.len() > self.max_bytes { Err(Stop::TooLarge) } else { Ok(Written::Yes) }
    }

    fn big_int(&mut self, value: &Value) -> Result<(), Stop> {
        let digits = value.to_text()?;
        if digits.len() > MAX_BIG_INT_DIGITS {
            let message =
                format!("a BigInt of {} digits can't cross, at most {MAX_BIG_INT_DIGITS} can", digits.len());
            return Err(Thrown::range_error(&message).into());
        }
        self.push(digits.as_bytes());
        Ok(())
    }

    fn object(&mut self, value: &Value) -> Result<Written, Stop> {
        if value.is_function() {
            return Ok(Written::No);
        }
        let address = value.address();
        if self.path.contains(&address) {
            return match self.purpose {
                Purpose::Argument => {
                    Err(Thrown::type_error("a value with a cycle can't be an argument").into())
                }
                Purpose::Result => {
                    self.string(b"[Circular]");
                    Ok(Written::Yes)
                }
            };
        }
        if self.path.len() >= self.max_depth {
            let message = format!("value is nested deeper than {} levels", self.max_depth);
            return Err(Thrown::range_error(&message).into());
        }
        self.path.push(address);
        let written = self.object_content(value);
        self.path.pop();
        written
    }

    fn object_content(&mut self, value: &Value) -> Result<Written, Stop> {
        if value.is_array() {
            let length = value.length()?;
            self.list(length, |index| value.get_index(index))?;
        } else if self.realm.is_plain(value) {
            return self.plain(value);
        } else if value.is_date() {
            match self.realm.date_to_iso(value) {
                Ok(iso) => return self.value(&iso),
                Err(_invalid) => self.push(b"null"),
            }
        } else if value.is_promise() {
            note(|holes| &holes.promise);
            self.string(b"[Promise: await it]");
        } else if value.is_error() {
            self.error(value)?;
        } else if value.is_map() {
            self.map(value)?;
        } else if value.is_set() {
            let items = self.realm.iterate_set(value)?;
            self.list(items.len() as i64, |index| {
                Ok(items.get(index as usize).cloned().unwrap_or(Value::NULL))
            })?;
        } else if value.is_reg_exp() {
            let text = self.realm.reg_exp_to_text(value)?;
            return self.value(&text);
        } else if let Some(primitive) = self.realm.unbox(value)? {
            return self.value(&primitive);
        } else if value.is_typed_array() {
            let length = value.length()?;
            check_binary(length * self.realm.bytes_per_element(value)?)?;
            self.list(length, |index| value.get_index(index))?;
        } else if let Some((length, bytes)) = value.array_buffer(MAX_BINARY_BYTES) {
            check_binary(length as i64)?;
            self.list(bytes.len() as i64, |index| {
                Ok(Value::int(bytes.get(index as usize).copied().unwrap_or(0).into()))
            })?;
        } else {
            return self.plain(value);
        }
        Ok(Written::Yes)
    }

    fn list(&mut self, length: i64, item: impl Fn(i64) -> JsResult<Value>) -> Result<(), Stop> {
        self.push(b"[");
        for index in 0..length {
            if index > 0 {
                self.push(b",");
            }
            let written = match item(index) {
                Ok(item) => self.value(&item)?,
                Err(thrown) => self.thrown(thrown)?,
            };
            if written == Written::No {
                self.push(b"null");
            }
            if self.output.len() > self.max_bytes {
                return Err(Stop::TooLarge);
            }
        }
        self.push(b"]");
        Ok(())
    }

    /// An object as its own enumerable properties; `toJSON` first where it counts.
    fn plain(&mut self, value: &Value) -> Result<Written, Stop> {
        if self.purpose == Purpose::Argument {
            let method = value.get_atom(&self.realm.atoms.to_json)?;
            if method.is_function() {
                let replaced = method.call(value, &[])?;
                // What `toJSON` returns is not asked again, or an object that returns itself would never end.
                return if replaced.is_object() && !replaced.is_array() && self.realm.is_plain(&replaced) {
                    self.properties(&replaced)
                } else {
                    self.value(&replaced)
                };
            }
        }
        self.properties(value)
    }

    fn properties(&mut self, value: &Value) -> Result<Written, Stop> {
        let keys = match value.own_keys() {
            Ok(keys) => keys,
            Err(thrown) => return self.thrown(thrown),
        };
        self.push(b"{");
        let mut first = true;
        for key in keys {
            self.property(value, key, &mut first)?;
        }
        self.push(b"}");
        Ok(Written::Yes)
    }

    fn property(&mut self, object: &Value, key: Atom, first: &mut bool) -> Result<(), Stop> {
        let before = self.output.len();
        let found = object.get_atom(&key);
        self.key(key, *first)?;
        let written = match found {
            Ok(value) => self.value(&value)?,
            Err(thrown) => self.thrown(thrown)?,
        };
        if written == Written::No {
            self.output.truncate(before);
        } else {
            *first = false;
        }
        Ok(())
    }

    /// Writes a key with its punctuation.
    fn key(&mut self, key: Atom, first: bool) -> Result<(), Stop> {
        if !first {
            self.push(b",");
        }
        if let Some((_, encoded)) = self.keys.get(&key.number()) {
            toolcell_arena::outside(|| self.output.extend_from_slice(encoded));
            return Ok(());
        }
        let encoded = toolcell_arena::outside(|| -> JsResult<Vec<u8>> {
            let mut encoded = Vec::new();
            key.to_value()?.with_utf8(|bytes| text::append_json_string(&mut encoded, bytes))?;
            encoded.push(b':');
            Ok(encoded)
        })?;
        self.push(&encoded);
        if self.keys.len() < MAX_CACHED_KEYS {
            toolcell_arena::outside(|| self.keys.insert(key.number(), (key, encoded)));
        }
        Ok(())
    }

    fn map(&mut self, value: &Value) -> Result<(), Stop> {
        let entries = self.realm.iterate_map(value)?;
        if entries.iter().all(|(key, _)| key.kind() == Kind::String) {
            self.push(b"{");
            let mut first = true;
            for (key, item) in &entries {
                let before = self.output.len();
                if !first {
                    self.push(b",");
                }
                key.with_utf8(|bytes| self.string(bytes))?;
                self.push(b":");
                if self.value(item)? == Written::No {
                    self.output.truncate(before);
                } else {
                    first = false;
                }
            }
            self.push(b"}");
            return Ok(());
        }
        self.push(b"[");
        for (index, (key, item)) in entries.iter().enumerate() {
            self.push(if index == 0 { b"[" } else { b",[" });
            for (part, separator) in [(key, &b","[..]), (item, b"]")] {
                if self.value(part)? == Written::No {
                    self.push(b"null");
                }
                self.push(separator);
            }
        }
        self.push(b"]");
        Ok(())
    }

    /// `{name, message}` and the error's own enumerable fields; `cause` and `errors` although they are not enumerable.
    fn error(&mut self, value: &Value) -> Result<(), Stop> {
        self.push(b"{");
        let mut first = true;
        let mut done = Vec::new();
        for name in ["name", "message", "cause", "errors"] {
            let atom = Atom::new(name)?;
            let inherited = name == "name" || name == "message";
            if inherited || value.own_data(&atom)?.is_some() {
                done.push(atom.number());
                self.property(value, atom, &mut first)?;
            }
        }
        for key in value.own_keys()? {
            if !done.contains(&key.number()) {
                self.property(value, key, &mut first)?;
            }
        }
        self.push(b"}");
        Ok(())
    }

    /// An exception met while reading: the end of an argument, a note in a result.
    fn thrown(&mut self, thrown: Thrown) -> Result<Written, Stop> {
        if self.purpose == Purpose::Argument || toolcell_arena::arena().refused() {
            return Err(thrown.into());
        }
        let mut message = crate::failure::message_of(&thrown.0);
        let mut end = message.len().min(MAX_THROWN_BYTES);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        self.string(format!("[Throws: {message}]").as_bytes());
        Ok(Written::Yes)
    }
}

/// Remembers what may explain a strange value.
fn note(hole: impl Fn(&Holes) -> &Cell<bool>) {
    if let Some(state) = state() {
        hole(&state.holes).set(true);
    }
}

fn check_binary(bytes: i64) -> Result<(), Stop> {
    if bytes <= MAX_BINARY_BYTES as i64 {
        return Ok(());
    }
    let message = format!(
        "binary data of {bytes} bytes can't cross, at most {MAX_BINARY_BYTES} can; there is no binary type"
    );
    Err(Thrown::range_error(&message).into())
}

/// What a function or symbol at top level looks like.
fn describe_callable(value: &Value) -> JsResult<String> {
    if value.kind() == Kind::Symbol {
        let description = value.get("description")?;
        return Ok(format!(
            "Symbol({})",
            if description.is_undefined() { String::new() } else { description.to_text()? }
        ));
    }
    let name = value.own_data(&Atom::new("name")?)?.filter(|name| name.kind() == Kind::String);
    let name = name.map(|name| name.to_text()).transpose()?.unwrap_or_default();
    Ok(if name.is_empty() { "[Function]".into() } else { format!("[Function: {name}]") })
}
