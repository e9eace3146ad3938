//! `structuredClone`: a deep copy with cycles and identity kept, as browsers make it.
//!
//! Source: the HTML standard, "structured clone". **Limits**: nothing can be transferred; class instances become plain
//! objects, as there.

use std::collections::HashMap;

use crate::{
    ffi::{Arguments, JsResult, Kind, Property, Thrown, Value},
    realm::Realm,
    state::state,
};

/// Nesting beyond this would exhaust the native stack.
const MAX_DEPTH: usize = 2000;

/// `structuredClone(value)`
pub(super) fn clone(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    if arguments.count() == 0 {
        return Err(Thrown::type_error("structuredClone(value) takes a value"));
    }
    let options = arguments.get(1);
    if options.is_object() && !options.get("transfer")?.is_undefined() {
        return Err(Thrown::type_error("structuredClone in a cell can't transfer"));
    }
    Cloner { realm: &state.realm, made: HashMap::default() }.value(&arguments.get(0), 0)
}

struct Cloner<'a> {
    realm: &'a Realm,
    /// Copies by the address of their original, which is kept alive.
    made: HashMap<usize, (Value, Value), std::hash::BuildHasherDefault<std::hash::DefaultHasher>>,
}

impl Cloner<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> JsResult<Value> {
        if value.kind() == Kind::Symbol || value.is_function() || value.is_promise() || value.is_proxy() {
            return Err(Thrown::data_clone_error("functions, symbols, promises and proxies can't be cloned"));
        }
        if !value.is_object() {
            return Ok(value.clone());
        }
        if let Some((_, copy)) = self.made.get(&value.address()) {
            return Ok(copy.clone());
        }
        if depth > MAX_DEPTH {
            return Err(Thrown::range_error("value is nested too deeply to be cloned"));
        }
        self.object(value, depth + 1)
    }

    fn remember(&mut self, original: &Value, copy: &Value) {
        toolcell_arena::outside(|| self.made.insert(original.address(), (original.clone(), copy.clone())));
    }

    fn object(&mut self, value: &Value, depth: usize) -> JsResult<Value> {
        let clones = &self.realm.clones;
        if value.is_array() {
            let copy = Value::array(Vec::new())?;
            self.remember(value, &copy);
            copy.set("length", Value::size(value.length()? as usize))?;
            return self.properties(value, copy, depth);
        }
        if value.is_date() {
            let time = clones.date_value.call(value, &[])?;
            return Ok(self.leaf(value, clones.date.construct(&[time])?));
        }
        if value.is_reg_exp() {
            let (source, flags) = self.realm.reg_exp_parts(value)?;
            return Ok(self.leaf(value, clones.reg_exp.construct(&[source, flags])?));
        }
        if let Some(primitive) = self.realm.unbox(value)? {
            let boxed = clones.object.call(&Value::UNDEFINED, &[primitive])?;
            return Ok(self.leaf(value, boxed));
        }
        if value.is_map() {
            let copy = clones.map.construct(&[])?;
            self.remember(value, &copy);
            for (key, item) in self.realm.iterate_map(value)? {
                let (key, item) = (self.value(&key, depth)?, self.value(&item, depth)?);
                self.realm.clones.map_set.call(&copy, &[key, item])?;
            }
            return Ok(copy);
        }
        if value.is_set() {
            let copy = clones.set.construct(&[])?;
            self.remember(value, &copy);
            for item in self.realm.iterate_set(value)? {
                let item = self.value(&item, depth)?;
                self.realm.clones.set_add.call(&copy, &[item])?;
            }
            return Ok(copy);
        }
        if let Some((_, bytes)) = value.array_buffer(usize::MAX) {
            return Ok(self.leaf(value, Value::new_array_buffer(&bytes)?));
        }
        if let Some(view) = value.typed_array_view()? {
            let buffer = self.value(&view.buffer, depth)?;
            return Ok(self.leaf(value, view.over(&buffer)?));
        }
        if value.is_error() {
            return self.error(value, depth);
        }
        if value.is_weak() {
            return Err(Thrown::data_clone_error("weak collections and references can't be cloned"));
        }
        let copy = Value::object()?;
        self.remember(value, &copy);
        self.properties(value, copy, depth)
    }

    fn leaf(&mut self, original: &Value, copy: Value) -> Value {
        self.remember(original, &copy);
        copy
    }

    fn properties(&mut self, value: &Value, copy: Value, depth: usize) -> JsResult<Value> {
        for key in value.own_keys()? {
            let item = value.get_atom(&key)?;
            let item = self.value(&item, depth)?;
            copy.define_atom(&key, item, Property::Plain)?;
        }
        Ok(copy)
    }

    fn error(&mut self, value: &Value, depth: usize) -> JsResult<Value> {
        let name = value.get("name")?;
        let name = if name.kind() == Kind::String { name.to_text()? } else { String::new() };
        let constructor = self.realm.clones.error_constructor(&name);
        let message = value.get("message")?;
        let copy = constructor.construct(&[message])?;
        self.remember(value, &copy);
        copy.define_atom(&self.realm.atoms.stack, self.realm.stack_of(value)?, Property::Hidden)?;
        if let Some(cause) = value.own_data(&self.realm.atoms.cause)? {
            let cause = self.value(&cause, depth)?;
            copy.define_atom(&self.realm.atoms.cause, cause, Property::Hidden)?;
        }
        Ok(copy)
    }
}
