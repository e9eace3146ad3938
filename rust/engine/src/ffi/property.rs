//! Property names and the ways to define a property.

use std::mem::ManuallyDrop;

use rquickjs_sys as qjs;

use super::{
    thrown::{JsResult, Thrown},
    value::Value,
    vm,
};

/// How a property is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Property {
    /// As by assignment.
    Plain,
    /// Writable, not enumerable.
    Hidden,
    /// Enumerable, for ever as it is.
    Fixed,
}

impl Property {
    pub(super) fn flags(self) -> u32 {
        match self {
            Self::Plain => qjs::JS_PROP_C_W_E,
            Self::Hidden => qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE,
            Self::Fixed => qjs::JS_PROP_ENUMERABLE,
        }
    }
}

/// An interned property name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Atom(qjs::JSAtom);

impl Atom {
    pub(crate) fn new(name: &str) -> JsResult<Self> {
        Self::from_utf8(name.as_bytes())
    }

    pub(crate) fn from_utf8(name: &[u8]) -> JsResult<Self> {
        // SAFETY: pointer and length are those of a slice.
        let atom = unsafe { qjs::JS_NewAtomLen(vm::context(), name.as_ptr().cast(), name.len() as _) };
        if atom == qjs::JS_ATOM_NULL { Err(Thrown::pending()) } else { Ok(Self(atom)) }
    }

    /// Copies a borrowed atom.
    ///
    /// # Safety
    /// `raw` is a live atom.
    pub(super) unsafe fn borrowed(raw: qjs::JSAtom) -> Self {
        // SAFETY: passed on.
        Self(unsafe { qjs::JS_DupAtom(vm::context(), raw) })
    }

    /// Takes over a reference that the engine returned.
    ///
    /// # Safety
    /// `raw` is a live reference, and the caller gives it away.
    pub(super) unsafe fn own(raw: qjs::JSAtom) -> Self {
        Self(raw)
    }

    /// The engine's own form, still owned by `self`.
    pub(super) fn raw(&self) -> qjs::JSAtom {
        self.0
    }

    pub(super) fn into_raw(self) -> qjs::JSAtom {
        ManuallyDrop::new(self).0
    }

    /// Number of the atom, unique while one reference is held.
    pub(crate) fn number(&self) -> u32 {
        self.0
    }

    /// The name as a string, or a symbol.
    pub(crate) fn to_value(&self) -> JsResult<Value> {
        // SAFETY: the atom is alive.
        unsafe { Value::checked(qjs::JS_AtomToValue(vm::context(), self.0)) }
    }
}

impl Clone for Atom {
    fn clone(&self) -> Self {
        // SAFETY: the atom is alive.
        unsafe { Self::borrowed(self.0) }
    }
}

impl Drop for Atom {
    fn drop(&mut self) {
        // SAFETY: this reference is the owner's.
        unsafe { qjs::JS_FreeAtomRT(vm::runtime(), self.0) };
    }
}
