//! JSON to guest values.

use std::collections::HashMap;

use toolcell_protocol::BigIntegers;

use super::number::MAX_SAFE_INTEGER;
use crate::{
    ffi::{Atom, JsResult, Property, Thrown, Value},
    realm::Realm,
};

/// Strings up to this length are looked up in a cache: tables repeat themselves, and an equal string shared is neither
/// made nor stored twice.
const MAX_CACHED_BYTES: usize = 64;
const CACHED_STRINGS: usize = 256;

/// Decodes one JSON text.
pub(crate) fn decode(
    json: &[u8],
    max_depth: u32,
    big_integers: BigIntegers,
    realm: &Realm,
) -> JsResult<Value> {
    let mut decoder = Decoder::new(json, max_depth, big_integers, realm);
    let value = decoder.value(0)?;
    decoder.skip_space();
    if decoder.at != json.len() {
        return Err(decoder.malformed());
    }
    Ok(value)
}

/// A reader over JSON text.
struct Decoder<'a> {
    json: &'a [u8],
    at: usize,
    max_depth: usize,
    big_integers: BigIntegers,
    realm: &'a Realm,
    keys: Keys<'a>,
    strings: Vec<Option<(&'a [u8], Value)>>,
}

/// Keys met so far. Records repeat their keys in the same order, so the key that followed last time is tried first.
#[derive(Default)]
struct Keys<'a> {
    known: Vec<Key<'a>>,
    by_name: HashMap<&'a [u8], usize, Fnv>,
    /// Position of the last key.
    last: usize,
}

struct Key<'a> {
    raw: &'a [u8],
    atom: Atom,
    /// Position of the key that followed this one last time.
    next: usize,
}

type Fnv = std::hash::BuildHasherDefault<FnvHasher>;

/// FNV-1a: short keys, and no state that differs from process to process.
struct FnvHasher(u64);

impl Default for FnvHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for FnvHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl<'a> Decoder<'a> {
    fn new(json: &'a [u8], max_depth: u32, big_integers: BigIntegers, realm: &'a Realm) -> Self {
        Self {
            json,
            at: 0,
            max_depth: max_depth as usize,
            big_integers,
            realm,
            keys: Keys::default(),
            strings: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn malformed(&self) -> Thrown {
        Thrown::type_error(&format!("malformed JSON at byte {}", self.at))
    }

    fn expect(&mut self, word: &[u8], value: Value) -> JsResult<Value> {
        if self.json.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.malformed())
    }

    fn value(&mut self, depth: usize) -> JsResult<Value> {
        if depth > self.max_depth {
            return Err(Thrown::range_error(&format!(
                "value is nested deeper than {} levels",
                self.max_depth
            )));
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let text = self.raw_string()?;
                self.string(text)
            }
            Some(b't') => self.expect(b"true", Value::bool(true)),
            Some(b'f') => self.expect(b"false", Value::bool(false)),
            Some(b'n') => self.expect(b"null", Value::NULL),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.malformed()),
        }
    }

    fn object(&mut self, depth: usize) -> JsResult<Value> {
        let object = Value::object()?;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(object);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.malformed());
            }
            let key = self.raw_string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.malformed());
            }
            self.at += 1;
            let position = self.key(key)?;
            let value = self.value(depth + 1)?;
            match self.keys.known.get(position) {
                Some(key) => object.define_atom(&key.atom, value, Property::Plain)?,
                None => object.define_atom(&self.new_key(key)?, value, Property::Plain)?,
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(object);
                }
                _ => return Err(self.malformed()),
            }
        }
    }

    fn list(&mut self, depth: usize) -> JsResult<Value> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Value::array(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Value::array(items);
                }
                _ => return Err(self.malformed()),
            }
        }
    }

    /// The inside of a string, escapes still in it; the reader stands behind the closing quote afterwards.
    fn raw_string(&mut self) -> JsResult<&'a [u8]> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            let rest = self.json.get(at..).unwrap_or_default();
            let found = memchr::memchr2(b'"', b'\\', rest).ok_or_else(|| self.malformed())?;
            at += found;
            if rest.get(found) == Some(&b'"') {
                break;
            }
            at += 2;
        }
        self.at = at + 1;
        Ok(self.json.get(start..at).unwrap_or_default())
    }

    /// Position of a key among those known; beyond their end if it is one too many.
    fn key(&mut self, raw: &'a [u8]) -> JsResult<usize> {
        /// Records have few keys; dictionaries have no use for a cache.
        const MAX_KNOWN: usize = 256;
        let guess = self.keys.known.get(self.keys.last).map_or(0, |last| last.next);
        if self.keys.known.get(guess).is_some_and(|key| key.raw == raw) {
            self.keys.last = guess;
            return Ok(guess);
        }
        let position = match self.keys.by_name.get(raw) {
            Some(position) => *position,
            None if self.keys.known.len() == MAX_KNOWN => return Ok(usize::MAX),
            None => {
                let (position, atom) = (self.keys.known.len(), self.new_key(raw)?);
                toolcell_arena::outside(|| {
                    self.keys.known.push(Key { raw, atom, next: 0 });
                    self.keys.by_name.insert(raw, position);
                });
                position
            }
        };
        if let Some(last) = self.keys.known.get_mut(self.keys.last) {
            last.next = position;
        }
        self.keys.last = position;
        Ok(position)
    }

    fn new_key(&self, raw: &[u8]) -> JsResult<Atom> {
        if raw.contains(&b'\\') { Atom::from_utf8(&self.unescape(raw)?) } else { Atom::from_utf8(raw) }
    }

    fn string(&mut self, raw: &'a [u8]) -> JsResult<Value> {
        if raw.len() > MAX_CACHED_BYTES {
            return self.new_string(raw);
        }
        if self.strings.is_empty() {
            toolcell_arena::outside(|| self.strings.resize_with(CACHED_STRINGS, || None));
        }
        let mut hasher = FnvHasher::default();
        // Length, head and tail tell most short strings apart, at a fraction of the cost of hashing them whole.
        std::hash::Hasher::write(&mut hasher, &[raw.len() as u8]);
        std::hash::Hasher::write(&mut hasher, raw.get(..4).unwrap_or(raw));
        std::hash::Hasher::write(&mut hasher, raw.get(raw.len().saturating_sub(8)..).unwrap_or_default());
        let slot = (std::hash::Hasher::finish(&hasher) >> 7) as usize % CACHED_STRINGS;
        if let Some(Some((known, value))) = self.strings.get(slot)
            && *known == raw
        {
            return Ok(value.clone());
        }
        let value = self.new_string(raw)?;
        if let Some(entry) = self.strings.get_mut(slot) {
            *entry = Some((raw, value.clone()));
        }
        Ok(value)
    }

    fn new_string(&self, raw: &[u8]) -> JsResult<Value> {
        if raw.contains(&b'\\') {
            let text = self.unescape(raw)?;
            return Value::string_from_utf8(&text);
        }
        Value::string_from_utf8(raw)
    }

    fn unescape(&self, raw: &[u8]) -> JsResult<Vec<u8>> {
        let mut text = Vec::with_capacity(raw.len());
        let mut bytes = raw.iter().copied();
        while let Some(byte) = bytes.next() {
            if byte != b'\\' {
                text.push(byte);
                continue;
            }
            match bytes.next() {
                Some(plain @ (b'"' | b'\\' | b'/')) => text.push(plain),
                Some(b'b') => text.push(8),
                Some(b'f') => text.push(12),
                Some(b'n') => text.push(b'\n'),
                Some(b'r') => text.push(b'\r'),
                Some(b't') => text.push(b'\t'),
                Some(b'u') => {
                    let unit = hex4(&mut bytes).ok_or_else(|| self.malformed())?;
                    let mut rest = bytes.clone();
                    let low = match (rest.next(), rest.next()) {
                        (Some(b'\\'), Some(b'u')) => {
                            hex4(&mut rest).filter(|low| (0xDC00..0xE000).contains(low))
                        }
                        _ => None,
                    };
                    let scalar = match (unit, low) {
                        (0xD800..0xDC00, Some(low)) => {
                            bytes = rest;
                            0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                        }
                        _ => unit,
                    };
                    let character = char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER);
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return Err(self.malformed()),
            }
        }
        Ok(text)
    }

    fn number(&mut self) -> JsResult<Value> {
        let start = self.at;
        let mut integer = true;
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {}
                b'.' | b'e' | b'E' | b'+' | b'-' => integer = false,
                _ => break,
            }
            self.at += 1;
        }
        let text = self.json.get(start..self.at).unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| self.malformed())?;
        if integer && let Ok(value) = text.parse::<i64>() {
            if let Ok(small) = i32::try_from(value) {
                return Ok(Value::int(small));
            }
            if value.unsigned_abs() <= MAX_SAFE_INTEGER as u64 {
                #[expect(clippy::cast_precision_loss, reason = "exact up to the bound above")]
                let number = value as f64;
                return Ok(Value::number(number));
            }
            if self.big_integers == BigIntegers::BigInt {
                return Value::big_int(value);
            }
        }
        match (integer, self.big_integers) {
            (true, BigIntegers::BigInt) => self.realm.big_int(text),
            (true, BigIntegers::String) => Value::string(text),
            _ => text.parse().map(Value::number).map_err(|_| self.malformed()),
        }
    }
}

fn hex4(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit << 4 | char::from(bytes.next()?).to_digit(16)?;
    }
    Some(unit)
}
