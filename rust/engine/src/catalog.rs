//! The hidden catalog as a worker knows it. It lies outside the arena: its size costs no cell anything.

use std::{cell::RefCell, collections::HashMap};

use toolcell_protocol::{Catalog, CatalogTool};

thread_local! {
    static CATALOG: RefCell<Index> = RefCell::default();
}

/// The catalog and its names.
#[derive(Default)]
struct Index {
    hash: u64,
    tools: Vec<CatalogTool>,
    by_safe_name: HashMap<String, usize>,
    by_bare_name: HashMap<String, usize>,
    by_id: HashMap<String, usize>,
}

/// Replaces the catalog.
pub(crate) fn replace(catalog: Catalog) {
    let names = |name: fn(&CatalogTool) -> Option<&String>| {
        let named =
            catalog.tools.iter().enumerate().filter_map(|(index, tool)| Some((name(tool)?.clone(), index)));
        named.collect::<HashMap<_, _>>()
    };
    let index = Index {
        by_safe_name: names(|tool| tool.safe_name.as_ref()),
        by_bare_name: names(|tool| tool.bare_name.as_ref()),
        by_id: names(|tool| Some(&tool.id)),
        hash: catalog.hash,
        tools: catalog.tools,
    };
    CATALOG.set(index);
}

/// Hash of the catalog, 0 if none was given.
pub(crate) fn hash() -> u64 {
    CATALOG.with_borrow(|index| index.hash)
}

/// Id of the tool that is called `name` under `tools`.
pub(crate) fn id_by_safe_name(name: &str) -> Option<String> {
    CATALOG.with_borrow(|index| Some(index.tools.get(*index.by_safe_name.get(name)?)?.id.clone()))
}

/// Id of the tool whose bare global is called `name`.
pub(crate) fn id_by_bare_name(name: &str) -> Option<String> {
    CATALOG.with_borrow(|index| Some(index.tools.get(*index.by_bare_name.get(name)?)?.id.clone()))
}

/// Bare name of the tool with this id.
pub(crate) fn bare_name_of(id: &str) -> Option<String> {
    CATALOG.with_borrow(|index| index.tools.get(*index.by_id.get(id)?)?.bare_name.clone())
}

/// All names under `tools`, in catalog order.
pub(crate) fn safe_names() -> Vec<String> {
    CATALOG.with_borrow(|index| index.tools.iter().filter_map(|tool| tool.safe_name.clone()).collect())
}

/// All bare names, in catalog order.
pub(crate) fn bare_names() -> Vec<String> {
    CATALOG.with_borrow(|index| index.tools.iter().filter_map(|tool| tool.bare_name.clone()).collect())
}

/// Number of tools.
pub(crate) fn len() -> usize {
    CATALOG.with_borrow(|index| index.tools.len())
}

/// Compact entry of a tool as JSON.
pub(crate) fn entry(position: usize) -> Option<Vec<u8>> {
    CATALOG.with_borrow(|index| Some(index.tools.get(position)?.entry.clone()))
}
