//! JSON from a worker to Python objects. Iterative: no input can exhaust the native stack.

use jiter::{Jiter, JiterError, NumberAny, NumberInt, Peek};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString},
};

use crate::json::{MAX_DEPTH, integers};

/// A container whose end has not come.
enum Open<'py> {
    List(Vec<Bound<'py, PyAny>>),
    /// With the key of the value that is being read.
    Dict(Bound<'py, PyDict>, Bound<'py, PyString>),
}

/// Decodes `data`; the error is a `ValueError`.
pub(crate) fn decode<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader { py, data, jiter: Jiter::new(data), keys: KeyCache::new() };
    let mut open = Vec::new();
    let mut peek = reader.peek()?;
    'value: loop {
        if open.len() >= MAX_DEPTH && matches!(peek, Peek::Array | Peek::Object) {
            return Err(PyValueError::new_err(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let mut value = match peek {
            Peek::Array => match reader.jiter.known_array().map_err(malformed)? {
                Some(next) => {
                    open.push(Open::List(Vec::new()));
                    peek = next;
                    continue;
                }
                None => PyList::empty(py).into_any(),
            },
            Peek::Object => match reader.first_key()? {
                Some(key) => {
                    open.push(Open::Dict(PyDict::new(py), key));
                    peek = reader.peek()?;
                    continue;
                }
                None => PyDict::new(py).into_any(),
            },
            scalar => reader.scalar(scalar)?,
        };
        // The value is whole: hand it to its container, which may be whole with it, and so on.
        loop {
            match open.last_mut() {
                None => {
                    reader.jiter.finish().map_err(malformed)?;
                    return Ok(value);
                }
                Some(Open::List(items)) => {
                    items.push(value);
                    if let Some(next) = reader.jiter.array_step().map_err(malformed)? {
                        peek = next;
                        continue 'value;
                    }
                    value = PyList::new(py, std::mem::take(items))?.into_any();
                }
                Some(Open::Dict(dict, key)) => {
                    dict.set_item(&*key, value)?;
                    if let Some(next) = reader.next_key()? {
                        *key = next;
                        peek = reader.peek()?;
                        continue 'value;
                    }
                    value = dict.clone().into_any();
                }
            }
            open.pop();
        }
    }
}

struct Reader<'py, 'data> {
    py: Python<'py>,
    /// What `jiter` reads, from its own beginning.
    data: &'data [u8],
    jiter: Jiter<'data>,
    keys: KeyCache<'py>,
}

impl<'py> Reader<'py, '_> {
    fn peek(&mut self) -> PyResult<Peek> {
        self.jiter.peek().map_err(malformed)
    }

    fn first_key(&mut self) -> PyResult<Option<Bound<'py, PyString>>> {
        let key = self.jiter.known_object().map_err(malformed)?;
        Ok(key.map(|key| self.keys.get(self.py, key)))
    }

    fn next_key(&mut self) -> PyResult<Option<Bound<'py, PyString>>> {
        let key = self.jiter.next_key().map_err(malformed)?;
        Ok(key.map(|key| self.keys.get(self.py, key)))
    }

    fn scalar(&mut self, peek: Peek) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match peek {
            Peek::String => Ok(PyString::new(py, self.jiter.known_str().map_err(malformed)?).into_any()),
            Peek::Null => self.jiter.known_null().map(|()| py.None().into_bound(py)).map_err(malformed),
            Peek::True | Peek::False => {
                let value = self.jiter.known_bool(peek).map_err(malformed)?;
                Ok(PyBool::new(py, value).to_owned().into_any())
            }
            number => self.number(number),
        }
    }

    fn number(&mut self, peek: Peek) -> PyResult<Bound<'py, PyAny>> {
        let start = self.jiter.current_index();
        match self.jiter.known_number(peek) {
            Ok(NumberAny::Int(NumberInt::Int(integer))) => Ok(PyInt::new(self.py, integer).into_any()),
            Ok(NumberAny::Float(float)) if float.is_finite() => Ok(PyFloat::new(self.py, float).into_any()),
            Ok(NumberAny::Float(_)) => Err(PyValueError::new_err("a number beyond the range of floats")),
            Err(error) => self.large_integer(start, error),
        }
    }

    /// An integer too large for `jiter`: digits alone up to what may follow a number.
    #[inline(never)]
    fn large_integer(&mut self, start: usize, error: JiterError) -> PyResult<Bound<'py, PyAny>> {
        let text = self.data.get(start..).unwrap_or_default();
        let sign = usize::from(text.first() == Some(&b'-'));
        let length = sign + text.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        let (text, rest) = text.split_at(length);
        let is_integer =
            matches!(text.get(sign), Some(b'1'..=b'9')) && !matches!(rest.first(), Some(b'.' | b'e' | b'E'));
        let digits = str::from_utf8(text).ok().filter(|_| is_integer).ok_or_else(|| malformed(error))?;
        let integer = integers::from_digits(self.py, digits)?;
        self.data = rest;
        self.jiter = Jiter::new(rest);
        Ok(integer)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn malformed(error: JiterError) -> PyErr {
    PyValueError::new_err(format!("malformed JSON: {error}"))
}

/// Recent object keys as Python strings: arrays of like objects need each key once. Begins with the keys of a
/// second or later object or so, as the slots cost more than a small value.
struct KeyCache<'py> {
    unused: usize,
    slots: Vec<Option<(Box<str>, Bound<'py, PyString>)>>,
}

impl<'py> KeyCache<'py> {
    const SLOTS: usize = 256;
    const MAX_KEY_BYTES: usize = 64;
    const KEYS_WITHOUT: usize = 16;

    fn new() -> Self {
        Self { unused: 0, slots: Vec::new() }
    }

    fn get(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if key.len() > Self::MAX_KEY_BYTES {
            return PyString::new(py, key);
        }
        if self.slots.is_empty() {
            if self.unused < Self::KEYS_WITHOUT {
                self.unused += 1;
                return PyString::new(py, key);
            }
            self.slots.resize_with(Self::SLOTS, || None);
        }
        // FNV-1a. Keys made to collide replace each other, and nothing worse.
        let hash = key
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let Some(slot) = self.slots.get_mut(hash as usize % Self::SLOTS) else {
            return PyString::new(py, key);
        };
        if let Some((cached, string)) = slot
            && **cached == *key
        {
            return string.clone();
        }
        let string = PyString::new(py, key);
        *slot = Some((key.into(), string.clone()));
        string
    }
}
