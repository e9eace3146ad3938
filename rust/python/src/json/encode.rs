//! Python objects to JSON.

use std::borrow::Cow;

use pyo3::{
    exceptions::{PyRecursionError, PyTypeError, PyValueError},
    intern,
    prelude::*,
    sync::PyOnceLock,
    types::{
        IntoPyDict, PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString,
        PyTuple,
    },
};

use crate::{
    json::{
        integers,
        path::{Path, Step},
    },
    objects::Entries,
};

/// Encodes `value`; the error is a `ValueError` that names the path, or what the embedding code raised.
pub(crate) fn encode(value: &Bound<'_, PyAny>, max_depth: usize, max_bytes: usize) -> PyResult<Vec<u8>> {
    let mut encoder = Encoder { out: Vec::with_capacity(256), max_depth, max_bytes };
    match encoder.value(value, 0) {
        Ok(()) => Ok(encoder.out),
        Err(refusal) => Err(refusal.into_error()),
    }
}

/// Why a value can't be encoded. Boxed: the way without an error is the hot one.
struct Refusal(Box<(Cause, Path)>);

enum Cause {
    /// A sentence without its place.
    Value(String),
    /// An exception of the embedding program's code, passed on.
    Raised(PyErr),
}

impl Refusal {
    fn new(message: String) -> Self {
        Self(Box::new((Cause::Value(message), Path::default())))
    }

    fn within(mut self, step: Step) -> Self {
        self.0.1.push_outer(step);
        self
    }

    fn into_error(self) -> PyErr {
        match *self.0 {
            (Cause::Value(message), path) => PyValueError::new_err(format!("{message} at {path}")),
            (Cause::Raised(error), _) => error,
        }
    }
}

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Self {
        Self(Box::new((Cause::Raised(error), Path::default())))
    }
}

type Encoded = Result<(), Refusal>;

struct Encoder {
    out: Vec<u8>,
    max_depth: usize,
    max_bytes: usize,
}

impl Encoder {
    /// Exact types first, the most frequent ones foremost; all else is rare.
    fn value(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Encoded {
        if value.is_exact_instance_of::<PyString>() {
            self.string(value.cast_exact().map_err(PyErr::from)?)
        } else if value.is_exact_instance_of::<PyInt>() {
            self.integer(value.cast_exact().map_err(PyErr::from)?)
        } else if value.is_exact_instance_of::<PyDict>() {
            self.dict(value.cast_exact().map_err(PyErr::from)?, depth)
        } else if value.is_exact_instance_of::<PyFloat>() {
            self.float(value.cast_exact::<PyFloat>().map_err(PyErr::from)?.value());
            Ok(())
        } else if value.is_none() {
            self.out.extend_from_slice(b"null");
            Ok(())
        } else if value.is_exact_instance_of::<PyBool>() {
            self.boolean(value.cast_exact().map_err(PyErr::from)?);
            Ok(())
        } else if value.is_exact_instance_of::<PyList>() {
            self.list(value.cast_exact().map_err(PyErr::from)?, depth)
        } else {
            self.other(value, depth)
        }
    }

    #[inline(never)]
    fn other(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Encoded {
        if let Ok(tuple) = value.cast::<PyTuple>() {
            self.list(&tuple.to_list(), depth)
        } else if let Ok(string) = value.cast::<PyString>() {
            self.string(string)
        } else if let Ok(integer) = value.cast::<PyInt>() {
            self.integer(integer)
        } else if let Ok(float) = value.cast::<PyFloat>() {
            self.float(float.value());
            Ok(())
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.dict(dict, depth)
        } else if let Ok(list) = value.cast::<PyList>() {
            self.list(list, depth)
        } else if value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyByteArray>()
            || value.is_instance_of::<PyMemoryView>()
        {
            let kind = type_name(value);
            Err(Refusal::new(format!("{kind} has no JSON form, decode it or send its base64 text")))
        } else {
            self.check_depth(depth)?;
            let plain = to_plain(value)?;
            self.value(&plain, depth + 1)
        }
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>, depth: usize) -> Encoded {
        self.check_depth(depth)?;
        self.out.push(b'{');
        let mut entries = Entries::of(dict);
        let mut is_first = true;
        for (key, value) in entries.by_ref() {
            if !is_first {
                self.out.push(b',');
            }
            is_first = false;
            self.key(&key)?;
            self.out.push(b':');
            if let Err(refusal) = self.value(&value, depth + 1).and_then(|()| self.check_size()) {
                return Err(refusal.within(Step::Key(key_text(&key))));
            }
        }
        if entries.was_resized() {
            return Err(Refusal::new("a dict changed its size while it was encoded".to_owned()));
        }
        self.out.push(b'}');
        Ok(())
    }

    fn list(&mut self, list: &Bound<'_, PyList>, depth: usize) -> Encoded {
        self.check_depth(depth)?;
        self.out.push(b'[');
        let mut index = 0;
        // The length is asked each time: code of the embedding program may run in between.
        while index < list.len() {
            if index > 0 {
                self.out.push(b',');
            }
            let item = list.get_item(index)?;
            if let Err(refusal) = self.value(&item, depth + 1).and_then(|()| self.check_size()) {
                return Err(refusal.within(Step::Index(index)));
            }
            index += 1;
        }
        self.out.push(b']');
        Ok(())
    }

    fn key(&mut self, key: &Bound<'_, PyAny>) -> Encoded {
        if let Ok(string) = key.cast::<PyString>() {
            return self.string(string);
        }
        self.out.push(b'"');
        if let Ok(boolean) = key.cast::<PyBool>() {
            self.boolean(boolean);
        } else if let Ok(integer) = key.cast::<PyInt>() {
            self.integer(integer)?;
        } else if key.is_none() {
            self.out.extend_from_slice(b"null");
        } else if let Ok(float) = key.cast::<PyFloat>() {
            // As Python's json spells it, which differs from a value for 1e16 and NaN.
            let text = PyFloat::new(key.py(), float.value()).repr()?;
            self.out.extend_from_slice(text.to_str()?.as_bytes());
        } else {
            let kind = type_name(key);
            return Err(Refusal::new(format!("a key of type {kind} has no JSON form")));
        }
        self.out.push(b'"');
        Ok(())
    }

    fn string(&mut self, string: &Bound<'_, PyString>) -> Encoded {
        let text = match string.to_str() {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(without_surrogates(string)?),
        };
        if text.len() > self.max_bytes {
            return self.too_large();
        }
        append_string(&mut self.out, &text);
        Ok(())
    }

    fn integer(&mut self, integer: &Bound<'_, PyInt>) -> Encoded {
        if let Ok(small) = integer.extract::<i64>() {
            self.out.extend_from_slice(itoa::Buffer::new().format(small).as_bytes());
            return Ok(());
        }
        integers::append_digits(integer, &mut self.out)
            .map_err(|error| Refusal::new(message_of(&error, integer.py())))
    }

    fn float(&mut self, float: f64) {
        if !float.is_finite() {
            self.out.extend_from_slice(b"null");
        } else if float == 0.0 {
            self.out.extend_from_slice(b"0.0"); // of either sign
        } else {
            // Always with a point or an exponent, which is what makes it a float on the other side.
            self.out.extend_from_slice(ryu::Buffer::new().format_finite(float).as_bytes());
        }
    }

    fn boolean(&mut self, boolean: &Bound<'_, PyBool>) {
        self.out.extend_from_slice(if boolean.is_true() { b"true" } else { b"false" });
    }

    fn check_depth(&self, depth: usize) -> Encoded {
        if depth < self.max_depth {
            return Ok(());
        }
        Err(Refusal::new(format!("nested deeper than {} levels, or within itself,", self.max_depth)))
    }

    fn check_size(&self) -> Encoded {
        if self.out.len() <= self.max_bytes { Ok(()) } else { self.too_large() }
    }

    #[inline(never)]
    fn too_large(&self) -> Encoded {
        Err(Refusal::new(format!("larger than {} bytes as JSON", self.max_bytes)))
    }
}

/// Appends `text` as a JSON string.
fn append_string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(length) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (plain, tail) = rest.split_at(length);
        out.extend_from_slice(plain);
        let Some((&special, tail)) = tail.split_first() else {
            break;
        };
        match special {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', special]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => {
                let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(control >> 4), digit(control & 15)]);
            }
        }
        rest = tail;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// The text of a `str` with surrogates: pairs are joined, lone ones become U+FFFD.
fn without_surrogates(string: &Bound<'_, PyString>) -> PyResult<String> {
    let utf16 = string.call_method1(intern!(string.py(), "encode"), ("utf-16-le", "surrogatepass"))?;
    let utf16 = utf16.cast::<PyBytes>()?.as_bytes();
    let units = utf16.chunks_exact(2).map(|pair| match pair {
        &[low, high] => u16::from_le_bytes([low, high]),
        _ => 0xFFFD,
    });
    Ok(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// Asks pydantic for the plain form of a model, dataclass, datetime, UUID, Decimal, enum, set and so on.
fn to_plain<'py>(value: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Refusal> {
    static TO_JSONABLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let to_jsonable = TO_JSONABLE.import(py, "pydantic_core", "to_jsonable_python")?;
    let options = [("inf_nan_mode", "constants")].into_py_dict(py)?;
    to_jsonable.call((value,), Some(&options)).map_err(|error| {
        // Pydantic's own verdicts are ValueErrors; a program's exceptions of other kinds pass through.
        let is_verdict = error.is_instance_of::<PyValueError>(py)
            || error.is_instance_of::<PyTypeError>(py)
            || error.is_instance_of::<PyRecursionError>(py);
        if is_verdict {
            Refusal::new(format!("{} has no JSON form ({})", type_name(value), message_of(&error, py)))
        } else {
            error.into()
        }
    })
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

fn message_of(error: &PyErr, py: Python<'_>) -> String {
    error.value(py).str().map_or_else(|_| "no message".to_owned(), |text| text.to_string_lossy().into_owned())
}

fn key_text(key: &Bound<'_, PyAny>) -> String {
    key.str().map_or_else(|_| "?".to_owned(), |text| text.to_string_lossy().into_owned())
}
