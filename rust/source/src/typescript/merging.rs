//! Blocks of one namespace or enum: a later block sees what an earlier one exports.
//!
//! A name is looked up in its block, then among the exports of the blocks before, then outside, as the TypeScript
//! language has it. **Limits**: exports of blocks that come later are not seen, nor those of a merged declaration that is
//! itself exported by different blocks of another.

use std::collections::{BTreeMap, BTreeSet};

use oxc_semantic::{ScopeId, Scoping, SymbolId};

/// What has been exported so far, and the blocks that are open.
#[derive(Default)]
pub(super) struct Merging {
    exports: BTreeMap<SymbolId, BTreeSet<String>>,
    open: Vec<Block>,
}

struct Block {
    owner: String,
    symbol: Option<SymbolId>,
    scope: Option<ScopeId>,
}

impl Merging {
    pub(super) fn open(&mut self, owner: &str, symbol: Option<SymbolId>, scope: Option<ScopeId>) {
        self.open.push(Block { owner: owner.to_owned(), symbol, scope });
    }

    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Records a name that the innermost block exports.
    pub(super) fn export(&mut self, name: &str) {
        if let Some(symbol) = self.open.last().and_then(|block| block.symbol) {
            self.exports.entry(symbol).or_default().insert(name.to_owned());
        }
    }

    /// The object whose property a name is that its own block does not declare; `declared` is the scope that does.
    pub(super) fn owner(&self, name: &str, declared: Option<ScopeId>, scoping: &Scoping) -> Option<&String> {
        for block in self.open.iter().rev() {
            let within = |scope| scoping.scope_ancestors(scope).any(|outer| Some(outer) == block.scope);
            if declared.is_some_and(within) {
                return None;
            }
            let exported = block.symbol.and_then(|symbol| self.exports.get(&symbol));
            if exported.is_some_and(|names| names.contains(name)) {
                return Some(&block.owner);
            }
        }
        None
    }
}
