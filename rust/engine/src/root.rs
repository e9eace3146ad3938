//! The one pointer from which everything in the arena is found again. The `unsafe` of it is here.

use crate::state::State;

/// Stores the state as the arena's root; once, at boot, inside the arena.
pub(crate) fn set(state: State) {
    toolcell_arena::set_root(Box::into_raw(Box::new(state)).cast());
}

/// The state behind the root, `None` before the boot.
pub(crate) fn get() -> Option<&'static State> {
    let root = toolcell_arena::root().cast::<State>();
    // SAFETY: the root is null or what `set` stored, in this process or in the one that wrote the image; an image is
    // adopted only if this very build wrote it. Resets replace the bytes while no reference is held.
    unsafe { root.as_ref() }
}
