//! Guest values.

use std::{ffi::c_int, mem::ManuallyDrop};

use rquickjs_sys as qjs;

use super::{
    property::{Atom, Property},
    thrown::{JsResult, Thrown},
    vm,
};

/// A reference to a guest value, counted by the engine.
#[repr(transparent)]
pub(crate) struct Value(qjs::JSValue);

/// What a value is, as far as the engine's tag tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float,
    BigInt,
    String,
    Symbol,
    Object,
    Other,
}

impl std::fmt::Debug for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Value({:?})", self.kind())
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        // SAFETY: the value is alive.
        Self(unsafe { qjs::JS_DupValue(vm::context(), self.0) })
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: this reference is the owner's.
        unsafe {
            if qjs::JS_VALUE_HAS_REF_COUNT(self.0) {
                qjs::JS_FreeValueRT(vm::runtime(), self.0);
            }
        }
    }
}

impl Value {
    pub(crate) const UNDEFINED: Self = Self(qjs::JS_UNDEFINED);
    pub(crate) const NULL: Self = Self(qjs::JS_NULL);

    /// Takes over a reference that the engine returned.
    ///
    /// # Safety
    /// `raw` is a live reference of this context, and the caller gives it away.
    pub(super) unsafe fn own(raw: qjs::JSValue) -> Self {
        Self(raw)
    }

    /// Takes over the result of an engine call: a value, or the exception that is pending.
    ///
    /// # Safety
    /// As for [`Value::own`].
    pub(super) unsafe fn checked(raw: qjs::JSValue) -> JsResult<Self> {
        // SAFETY: only the tag is read.
        if unsafe { qjs::JS_IsException(raw) } { Err(Thrown::pending()) } else { Ok(Self(raw)) }
    }

    /// Copies a borrowed reference.
    ///
    /// # Safety
    /// `raw` is a live reference of this context.
    pub(super) unsafe fn borrowed(raw: qjs::JSValue) -> Self {
        ManuallyDrop::new(Self(raw)).clone_inner()
    }

    fn clone_inner(&self) -> Self {
        self.clone()
    }

    /// The engine's own form, still owned by `self`.
    pub(super) fn raw(&self) -> qjs::JSValue {
        self.0
    }

    /// The engine's own form; the reference is given away.
    pub(super) fn into_raw(self) -> qjs::JSValue {
        ManuallyDrop::new(self).0
    }

    pub(crate) fn bool(value: bool) -> Self {
        Self(if value { qjs::JS_TRUE } else { qjs::JS_FALSE })
    }

    pub(crate) fn number(value: f64) -> Self {
        // SAFETY: makes a plain number, no reference.
        Self(unsafe { qjs::JS_NewNumber(vm::context(), value) })
    }

    /// A size or an index, exact: the engine has none beyond 2^53.
    #[expect(clippy::cast_precision_loss, reason = "sizes of memory and arrays are below 2^53")]
    pub(crate) fn size(value: usize) -> Self {
        Self::number(value as f64)
    }

    pub(crate) fn int(value: i32) -> Self {
        Self(qjs::JS_MKVAL(qjs::JS_TAG_INT, value))
    }

    pub(crate) fn big_int(value: i64) -> JsResult<Self> {
        // SAFETY: the context is alive.
        unsafe { Self::checked(qjs::JS_NewBigInt64(vm::context(), value)) }
    }

    pub(crate) fn string(text: &str) -> JsResult<Self> {
        Self::string_from_utf8(text.as_bytes())
    }

    /// A string of UTF-8 bytes; what isn't UTF-8 is replaced.
    pub(crate) fn string_from_utf8(text: &[u8]) -> JsResult<Self> {
        // SAFETY: pointer and length are those of a slice.
        unsafe { Self::checked(qjs::JS_NewStringLen(vm::context(), text.as_ptr().cast(), text.len() as _)) }
    }

    pub(crate) fn object() -> JsResult<Self> {
        // SAFETY: the context is alive.
        unsafe { Self::checked(qjs::JS_NewObject(vm::context())) }
    }

    /// An object without a prototype.
    pub(crate) fn bare_object() -> JsResult<Self> {
        // SAFETY: the context is alive.
        unsafe { Self::checked(qjs::JS_NewObjectProto(vm::context(), qjs::JS_NULL)) }
    }

    /// An array of `items`.
    pub(crate) fn array(items: Vec<Self>) -> JsResult<Self> {
        let items = ManuallyDrop::new(items);
        // SAFETY: `Value` has the layout of `JSValue`; the engine takes the references over, also when it fails.
        let array = unsafe {
            Self::checked(qjs::JS_NewArrayFrom(vm::context(), items.len() as c_int, items.as_ptr().cast()))
        };
        // SAFETY: the buffer is freed without dropping the references that were given away.
        drop(unsafe {
            Vec::from_raw_parts(
                items.as_ptr().cast_mut().cast::<ManuallyDrop<Self>>(),
                items.len(),
                items.capacity(),
            )
        });
        array
    }

    /// An `Error` without a stack, `name` and `message` as own properties that are not enumerable.
    pub(crate) fn error(name: &str, message: &str) -> JsResult<Self> {
        // SAFETY: the context is alive.
        let error = unsafe { Self::checked(qjs::JS_NewError(vm::context()))? };
        error.define("name", Self::string(name)?, Property::Hidden)?;
        error.define("message", Self::string(message)?, Property::Hidden)?;
        Ok(error)
    }

    pub(crate) fn kind(&self) -> Kind {
        // SAFETY: only tag and immediate are read.
        unsafe {
            match qjs::JS_VALUE_GET_TAG(self.0) {
                qjs::JS_TAG_UNDEFINED => Kind::Undefined,
                qjs::JS_TAG_NULL => Kind::Null,
                qjs::JS_TAG_BOOL => Kind::Bool(qjs::JS_VALUE_GET_BOOL(self.0)),
                qjs::JS_TAG_INT => Kind::Int(qjs::JS_VALUE_GET_INT(self.0)),
                qjs::JS_TAG_FLOAT64 => Kind::Float,
                qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Kind::BigInt,
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Kind::String,
                qjs::JS_TAG_SYMBOL => Kind::Symbol,
                qjs::JS_TAG_OBJECT => Kind::Object,
                _ => Kind::Other,
            }
        }
    }

    /// The number, if the value is one.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self.kind() {
            Kind::Int(value) => Some(f64::from(value)),
            // SAFETY: the tag says that it is a float.
            Kind::Float => Some(unsafe { qjs::JS_VALUE_GET_FLOAT64(self.0) }),
            _ => None,
        }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        self.kind() == Kind::Undefined
    }

    pub(crate) fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    pub(crate) fn is_function(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsFunction(vm::context(), self.0) }
    }

    pub(crate) fn is_error(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsError(self.0) }
    }

    pub(crate) fn is_array(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsArray(self.0) }
    }

    pub(crate) fn is_promise(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsPromise(self.0) }
    }

    pub(crate) fn is_date(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsDate(self.0) }
    }

    pub(crate) fn is_reg_exp(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsRegExp(self.0) }
    }

    pub(crate) fn is_map(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsMap(self.0) }
    }

    pub(crate) fn is_set(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsSet(self.0) }
    }

    pub(crate) fn is_typed_array(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_GetTypedArrayType(self.0) >= 0 }
    }

    pub(crate) fn is_proxy(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsProxy(self.0) }
    }

    /// Whether the value is a weak collection or reference.
    pub(crate) fn is_weak(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_IsWeakMap(self.0) || qjs::JS_IsWeakSet(self.0) || qjs::JS_IsWeakRef(self.0) }
    }

    /// Id of the engine's class of an object.
    pub(crate) fn class(&self) -> u32 {
        // SAFETY: the value is alive.
        unsafe { qjs::JS_GetClassID(self.0) }
    }

    /// Address of the object, its identity while it is alive.
    pub(crate) fn address(&self) -> usize {
        // SAFETY: only objects hold a pointer, and only its address is used.
        if self.is_object() { unsafe { qjs::JS_VALUE_GET_PTR(self.0) as usize } } else { 0 }
    }

    /// Calls `read` with the UTF-8 form of the value, lone surrogates in their three-byte form. Other values than
    /// strings are converted first, which may run guest code.
    pub(crate) fn with_utf8<R>(&self, read: impl FnOnce(&[u8]) -> R) -> JsResult<R> {
        let mut length = 0;
        // SAFETY: the engine returns a buffer of that length that lives until it is freed below.
        unsafe {
            let text = qjs::JS_ToCStringLen2(vm::context(), &raw mut length, self.0, false);
            if text.is_null() {
                return Err(Thrown::pending());
            }
            let result = read(std::slice::from_raw_parts(text.cast(), length as usize));
            qjs::JS_FreeCString(vm::context(), text);
            Ok(result)
        }
    }

    /// The value as text, lone surrogates replaced.
    pub(crate) fn to_text(&self) -> JsResult<String> {
        self.with_utf8(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    pub(crate) fn get(&self, name: &str) -> JsResult<Self> {
        self.get_atom(&Atom::new(name)?)
    }

    pub(crate) fn get_atom(&self, atom: &Atom) -> JsResult<Self> {
        // SAFETY: value and atom are alive.
        unsafe { Self::checked(qjs::JS_GetProperty(vm::context(), self.0, atom.raw())) }
    }

    pub(crate) fn get_index(&self, index: i64) -> JsResult<Self> {
        // SAFETY: the value is alive.
        unsafe { Self::checked(qjs::JS_GetPropertyInt64(vm::context(), self.0, index)) }
    }

    /// An own property as data, without running a getter; `None` if it isn't there or is an accessor.
    pub(crate) fn own_data(&self, atom: &Atom) -> JsResult<Option<Self>> {
        self.own_property(atom)
            .map(|found| found.and_then(|(value, getter)| getter.is_undefined().then_some(value)))
    }

    /// The getter of an own accessor property.
    pub(crate) fn own_getter(&self, name: &str) -> JsResult<Self> {
        let found = self.own_property(&Atom::new(name)?)?;
        Ok(found.map_or(Self::UNDEFINED, |(_, getter)| getter))
    }

    fn own_property(&self, atom: &Atom) -> JsResult<Option<(Self, Self)>> {
        let mut descriptor = qjs::JSPropertyDescriptor {
            flags: 0,
            value: qjs::JS_UNDEFINED,
            getter: qjs::JS_UNDEFINED,
            setter: qjs::JS_UNDEFINED,
        };
        // SAFETY: the engine fills the descriptor with references that are taken over here.
        unsafe {
            match qjs::JS_GetOwnProperty(vm::context(), &raw mut descriptor, self.0, atom.raw()) {
                0 => Ok(None),
                1 => {
                    drop(Self(descriptor.setter));
                    Ok(Some((Self(descriptor.value), Self(descriptor.getter))))
                }
                _ => Err(Thrown::pending()),
            }
        }
    }

    pub(crate) fn length(&self) -> JsResult<i64> {
        let mut length = 0;
        // SAFETY: the value is alive, `length` valid for writing.
        match unsafe { qjs::JS_GetLength(vm::context(), self.0, &raw mut length) } {
            0 => Ok(length),
            _ => Err(Thrown::pending()),
        }
    }

    /// Names of own enumerable string-keyed properties, in the language's order.
    pub(crate) fn own_keys(&self) -> JsResult<Vec<Atom>> {
        let (mut table, mut count) = (std::ptr::null_mut(), 0);
        let flags = qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY;
        // SAFETY: the engine returns a table of `count` atoms, which are taken over; only the table itself is freed.
        unsafe {
            if qjs::JS_GetOwnPropertyNames(
                vm::context(),
                &raw mut table,
                &raw mut count,
                self.0,
                flags as c_int,
            ) != 0
            {
                return Err(Thrown::pending());
            }
            if table.is_null() {
                return Ok(Vec::new());
            }
            let keys = std::slice::from_raw_parts(table, count as usize)
                .iter()
                .map(|entry| Atom::own(entry.atom))
                .collect();
            qjs::js_free(vm::context(), table.cast());
            Ok(keys)
        }
    }

    pub(crate) fn define(&self, name: &str, value: Self, property: Property) -> JsResult<()> {
        self.define_atom(&Atom::new(name)?, value, property)
    }

    /// Defines an own property; never runs guest code on ordinary objects.
    pub(crate) fn define_atom(&self, atom: &Atom, value: Self, property: Property) -> JsResult<()> {
        // SAFETY: value and atom are alive; the engine takes the new value over.
        let done = unsafe {
            qjs::JS_DefinePropertyValue(
                vm::context(),
                self.0,
                atom.raw(),
                value.into_raw(),
                property.flags() as c_int,
            )
        };
        if done < 0 { Err(Thrown::pending()) } else { Ok(()) }
    }

    pub(crate) fn delete(&self, name: &str) -> JsResult<()> {
        let atom = Atom::new(name)?;
        // SAFETY: value and atom are alive.
        if unsafe { qjs::JS_DeleteProperty(vm::context(), self.0, atom.raw(), 0) } < 0 {
            return Err(Thrown::pending());
        }
        Ok(())
    }

    pub(crate) fn set(&self, name: &str, value: Self) -> JsResult<()> {
        let atom = Atom::new(name)?;
        // SAFETY: value and atom are alive; the engine takes the new value over.
        if unsafe { qjs::JS_SetProperty(vm::context(), self.0, atom.raw(), value.into_raw()) } < 0 {
            return Err(Thrown::pending());
        }
        Ok(())
    }

    pub(crate) fn freeze(&self) -> JsResult<()> {
        // SAFETY: the value is alive.
        if unsafe { qjs::JS_FreezeObject(vm::context(), self.0) } < 0 {
            Err(Thrown::pending())
        } else {
            Ok(())
        }
    }

    pub(crate) fn prevent_extensions(&self) -> JsResult<()> {
        // SAFETY: the value is alive.
        if unsafe { qjs::JS_PreventExtensions(vm::context(), self.0) } < 0 {
            Err(Thrown::pending())
        } else {
            Ok(())
        }
    }

    pub(crate) fn set_prototype(&self, prototype: &Self) -> JsResult<()> {
        // SAFETY: both values are alive.
        if unsafe { qjs::JS_SetPrototype(vm::context(), self.0, prototype.0) } < 0 {
            return Err(Thrown::pending());
        }
        Ok(())
    }

    pub(crate) fn prototype(&self) -> JsResult<Self> {
        // SAFETY: the value is alive.
        unsafe { Self::checked(qjs::JS_GetPrototype(vm::context(), self.0)) }
    }

    pub(crate) fn call(&self, this: &Self, arguments: &[Self]) -> JsResult<Self> {
        // SAFETY: all values are alive; `Value` has the layout of `JSValue`, and the engine only reads the arguments.
        unsafe {
            Self::checked(qjs::JS_Call(
                vm::context(),
                self.0,
                this.0,
                arguments.len() as c_int,
                arguments.as_ptr().cast_mut().cast(),
            ))
        }
    }

    pub(crate) fn construct(&self, arguments: &[Self]) -> JsResult<Self> {
        // SAFETY: as for `call`.
        unsafe {
            Self::checked(qjs::JS_CallConstructor(
                vm::context(),
                self.0,
                arguments.len() as c_int,
                arguments.as_ptr().cast_mut().cast(),
            ))
        }
    }
}
