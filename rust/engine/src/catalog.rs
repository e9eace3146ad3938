//! The hidden catalog as a worker knows it. It lies outside the arena: its size costs no cell anything.

use std::{cell::RefCell, collections::HashMap};

use toolcell_protocol::{ApiFile, Catalog, CatalogTool, Namespace, NamespaceFunction, NamespaceKind};

thread_local! {
    static CATALOG: RefCell<Index> = RefCell::default();
}

/// The catalog and its names.
#[derive(Default)]
struct Index {
    hash: u64,
    tools: Vec<CatalogTool>,
    namespaces: Vec<Namespace>,
    files: Vec<ApiFile>,
    by_safe_name: HashMap<String, usize>,
    by_bare_name: HashMap<String, usize>,
    by_id: HashMap<String, usize>,
    /// Namespaces by the names they have, functions by theirs within one.
    namespace_by_name: HashMap<(NamespaceKind, String), usize>,
    function_by_name: Vec<HashMap<String, usize>>,
    mcp_by_id: HashMap<String, (usize, usize)>,
}

/// What a name in a namespace stands for.
pub(crate) enum Found {
    /// The tool with this id.
    Function(String),
    /// Functions by name, with the ids of their tools.
    Group(Vec<(String, String)>),
}

/// Replaces the catalog.
pub(crate) fn replace(catalog: Catalog) {
    let Catalog { hash, tools, namespaces, files } = catalog;
    let names = |name: fn(&CatalogTool) -> Option<&String>| {
        let named = tools.iter().enumerate().filter_map(|(index, tool)| Some((name(tool)?.clone(), index)));
        named.collect::<HashMap<_, _>>()
    };
    let mut namespace_by_name = HashMap::new();
    let mut function_by_name = Vec::new();
    let mut mcp_by_id = HashMap::new();
    // A name that its owner chose beats one that was made of it.
    for (index, namespace) in namespaces.iter().enumerate() {
        namespace_by_name.entry((namespace.kind, namespace.member.clone())).or_insert(index);
        let functions: Vec<_> =
            namespace.functions.iter().enumerate().filter(|(_, function)| function.group.is_none()).collect();
        let aliases = functions.iter().filter_map(|(at, function)| Some((function.alias.clone()?, *at)));
        let mut by_name: HashMap<_, _> =
            functions.iter().map(|(at, function)| (function.name.clone(), *at)).collect();
        by_name.extend(aliases);
        function_by_name.push(by_name);
        if namespace.kind == NamespaceKind::Mcp {
            mcp_by_id.extend(functions.iter().map(|(at, function)| (function.id.clone(), (index, *at))));
        }
    }
    for (index, namespace) in namespaces.iter().enumerate() {
        namespace_by_name.insert((namespace.kind, namespace.name.clone()), index);
    }
    let index = Index {
        hash,
        by_safe_name: names(|tool| tool.safe_name.as_ref()),
        by_bare_name: names(|tool| tool.bare_name.as_ref()),
        by_id: names(|tool| Some(&tool.id)),
        namespace_by_name,
        function_by_name,
        mcp_by_id,
        tools,
        namespaces,
        files,
    };
    CATALOG.set(index);
}

impl Index {
    fn namespace(&self, kind: NamespaceKind, name: &str) -> Option<(usize, &Namespace)> {
        let index = *self.namespace_by_name.get(&(kind, name.to_owned()))?;
        Some((index, self.namespaces.get(index)?))
    }
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

/// How a cell writes the function of the MCP tool with this id.
pub(crate) fn mcp_path_of(id: &str) -> Option<String> {
    CATALOG.with_borrow(|index| {
        let (namespace, function) = *index.mcp_by_id.get(id)?;
        let namespace = index.namespaces.get(namespace)?;
        Some(format!("MCP.{}.{}", namespace.member, namespace.functions.get(function)?.name))
    })
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

/// The properties of `MCP` or `namespaces`.
pub(crate) fn namespace_members(kind: NamespaceKind) -> Vec<String> {
    CATALOG.with_borrow(|index| {
        let of_kind = index.namespaces.iter().filter(|namespace| namespace.kind == kind);
        of_kind.map(|namespace| namespace.member.clone()).collect()
    })
}

/// The owner's name of the namespace that a cell calls `name`.
pub(crate) fn namespace_called(kind: NamespaceKind, name: &str) -> Option<String> {
    CATALOG.with_borrow(|index| Some(index.namespace(kind, name)?.1.name.clone()))
}

/// The property that holds the namespace of this owner's name.
pub(crate) fn namespace_member(kind: NamespaceKind, name: &str) -> Option<String> {
    CATALOG.with_borrow(|index| Some(index.namespace(kind, name)?.1.member.clone()))
}

/// Whether it is known what an MCP server offers.
pub(crate) fn is_listed(server: &str) -> bool {
    CATALOG.with_borrow(|index| Some(index.namespace(NamespaceKind::Mcp, server)?.1.listed)).unwrap_or(true)
}

/// What `name` stands for in a namespace.
pub(crate) fn function_called(kind: NamespaceKind, namespace: &str, name: &str) -> Option<Found> {
    CATALOG.with_borrow(|index| {
        let (at, namespace) = index.namespace(kind, namespace)?;
        if let Some(function) = index.function_by_name.get(at)?.get(name) {
            return Some(Found::Function(namespace.functions.get(*function)?.id.clone()));
        }
        let grouped = |function: &&NamespaceFunction| function.group.as_deref() == Some(name);
        let functions: Vec<_> = namespace.functions.iter().filter(grouped).collect();
        let named = functions.iter().map(|function| (function.name.clone(), function.id.clone()));
        (!functions.is_empty()).then(|| Found::Group(named.collect()))
    })
}

/// Names of a namespace's properties.
pub(crate) fn function_names(kind: NamespaceKind, namespace: &str) -> Vec<String> {
    CATALOG.with_borrow(|index| {
        let mut names: Vec<String> = Vec::new();
        for function in index.namespace(kind, namespace).iter().flat_map(|(_, found)| &found.functions) {
            let name = function.group.as_ref().unwrap_or(&function.name);
            if names.last() != Some(name) {
                names.push(name.clone());
            }
        }
        names
    })
}

/// Path, description and size in bytes of each file.
pub(crate) fn files() -> Vec<(String, String, usize)> {
    CATALOG.with_borrow(|index| {
        let row = |file: &ApiFile| (file.path.clone(), file.description.clone(), file.text.len());
        index.files.iter().map(row).collect()
    })
}

/// Text of a file.
pub(crate) fn file(path: &str) -> Option<String> {
    CATALOG.with_borrow(|index| Some(index.files.iter().find(|file| file.path == path)?.text.clone()))
}
