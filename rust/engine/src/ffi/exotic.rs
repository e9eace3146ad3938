//! Objects whose properties are looked up when they are touched.
//!
//! A catalog may hold ten thousand tools; a cell that calls one must not pay for the others. The properties of such an
//! object come from [`crate::guest::lookup`] and can be neither changed, added nor deleted.

use std::ffi::c_int;

use rquickjs_sys as qjs;

use super::{
    property::{Atom, Property},
    thrown::JsResult,
    value::{Kind, Value},
    vm,
};

/// Which table an object shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// `tools`.
    Tools,
    /// What lies behind the global object: bare tool functions and lists made on first touch.
    Globals,
    /// `MCP`.
    Mcp,
    /// `namespaces`.
    Namespaces,
    /// The namespace that the cell opened as this number.
    Namespace(u32),
}

/// First of the numbers that stand for opened namespaces.
const FIRST_NAMESPACE: usize = 16;

impl Table {
    fn to_number(self) -> usize {
        match self {
            Self::Tools => 1,
            Self::Globals => 2,
            Self::Mcp => 3,
            Self::Namespaces => 4,
            Self::Namespace(index) => FIRST_NAMESPACE + index as usize,
        }
    }

    fn of_number(number: usize) -> Option<Self> {
        match number {
            1 => Some(Self::Tools),
            2 => Some(Self::Globals),
            3 => Some(Self::Mcp),
            4 => Some(Self::Namespaces),
            number => {
                let index = number.checked_sub(FIRST_NAMESPACE)?;
                Some(Self::Namespace(u32::try_from(index).ok()?))
            }
        }
    }
}

/// The class of such objects, in every process of a build the same: it is the first one registered.
static METHODS: SharedMethods = SharedMethods(qjs::JSClassExoticMethods {
    get_own_property: Some(get_own_property),
    get_own_property_names: Some(get_own_property_names),
    delete_property: Some(delete_property),
    define_own_property: Some(define_own_property),
    has_property: None,
    get_property: None,
    set_property: None,
});

struct SharedMethods(qjs::JSClassExoticMethods);
// SAFETY: function pointers only, never written.
unsafe impl Sync for SharedMethods {}

/// Registers the class with the runtime; once, at boot.
pub(crate) fn register() -> Option<u32> {
    let mut class = 0;
    let definition = qjs::JSClassDef {
        class_name: c"Object".as_ptr(),
        finalizer: None,
        gc_mark: None,
        call: None,
        exotic: (&raw const METHODS.0).cast_mut(),
    };
    // SAFETY: the runtime is alive; the methods are static.
    unsafe {
        qjs::JS_NewClassID(vm::runtime(), &raw mut class);
        (qjs::JS_NewClass(vm::runtime(), class, &raw const definition) == 0).then_some(class)
    }
}

/// Makes an object that shows `table`.
pub(crate) fn make(class: u32, table: Table, prototype: &Value) -> JsResult<Value> {
    // SAFETY: the class is registered. The opaque is a number in the clothes of a pointer, never followed.
    unsafe {
        let object = Value::checked(qjs::JS_NewObjectProtoClass(vm::context(), prototype.raw(), class))?;
        qjs::JS_SetOpaque(object.raw(), table.to_number() as *mut _);
        object.prevent_extensions()?;
        Ok(object)
    }
}

fn table_of(object: qjs::JSValue) -> Option<Table> {
    let mut class = 0;
    // SAFETY: the engine calls the methods below with objects of this class only.
    Table::of_number(unsafe { qjs::JS_GetAnyOpaque(object, &raw mut class) } as usize)
}

fn find(object: qjs::JSValue, atom: qjs::JSAtom) -> JsResult<Option<Value>> {
    let Some(table) = table_of(object) else { return Ok(None) };
    // SAFETY: the engine keeps the atom alive during the call.
    let atom = unsafe { Atom::borrowed(atom) };
    let name = atom.to_value()?;
    if name.kind() != Kind::String {
        return Ok(None);
    }
    crate::guest::lookup(table, &name.to_text()?)
}

unsafe extern "C" fn get_own_property(
    _context: *mut qjs::JSContext,
    descriptor: *mut qjs::JSPropertyDescriptor,
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    match find(object, atom) {
        Ok(None) => 0,
        Ok(Some(value)) => {
            if !descriptor.is_null() {
                // SAFETY: a descriptor that isn't null is to be filled; the reference is given away.
                unsafe {
                    descriptor.write(qjs::JSPropertyDescriptor {
                        flags: Property::Fixed.flags() as c_int,
                        value: value.into_raw(),
                        getter: qjs::JS_UNDEFINED,
                        setter: qjs::JS_UNDEFINED,
                    });
                }
            }
            1
        }
        Err(thrown) => {
            thrown.rethrow();
            -1
        }
    }
}

unsafe extern "C" fn get_own_property_names(
    _context: *mut qjs::JSContext,
    table: *mut *mut qjs::JSPropertyEnum,
    count: *mut u32,
    object: qjs::JSValue,
) -> c_int {
    let names = table_of(object).map(crate::guest::names).unwrap_or_default();
    let atoms: JsResult<Vec<Atom>> = names.iter().map(|name| Atom::new(name)).collect();
    // SAFETY: the engine wants a table from its own allocator, whose atoms it takes over, and frees both.
    unsafe {
        let atoms = match atoms {
            Ok(atoms) => atoms,
            Err(thrown) => {
                thrown.rethrow();
                return -1;
            }
        };
        let bytes = size_of::<qjs::JSPropertyEnum>() * atoms.len().max(1);
        let entries: *mut qjs::JSPropertyEnum = qjs::js_malloc(vm::context(), bytes as _).cast();
        if entries.is_null() {
            return -1;
        }
        *count = atoms.len() as u32;
        for (index, atom) in atoms.into_iter().enumerate() {
            entries.add(index).write(qjs::JSPropertyEnum { is_enumerable: true, atom: atom.into_raw() });
        }
        *table = entries;
    }
    0
}

unsafe extern "C" fn delete_property(
    _context: *mut qjs::JSContext,
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    match find(object, atom) {
        Ok(found) => c_int::from(found.is_none()),
        Err(thrown) => {
            thrown.rethrow();
            -1
        }
    }
}

unsafe extern "C" fn define_own_property(
    context: *mut qjs::JSContext,
    _object: qjs::JSValue,
    _atom: qjs::JSAtom,
    _value: qjs::JSValue,
    _getter: qjs::JSValue,
    _setter: qjs::JSValue,
    flags: c_int,
) -> c_int {
    if flags as u32 & (qjs::JS_PROP_THROW | qjs::JS_PROP_THROW_STRICT) == 0 {
        return 0;
    }
    // SAFETY: the context is alive, the format takes no arguments.
    unsafe { qjs::JS_ThrowTypeError(context, c"object is not extensible".as_ptr()) };
    -1
}
