//! The engine's stack.

/// Runs `work` on the fixed-address stack.
///
/// The engine stores stack addresses in its heap, so a VM can go on in another process only if its stack lies at the same
/// place there. An overflow hits unmapped memory and ends the process.
pub fn on_engine_stack<R>(work: impl FnOnce() -> R) -> R {
    let stack = toolcell_arena::stack();
    if stack.contains(&psm::stack_pointer().addr()) {
        return work();
    }
    // SAFETY: the range is mapped, aligned, used by no one else (one thread runs the VM, and nesting is excluded above);
    // a panic aborts the worker, and tests keep theirs within `work`.
    unsafe { psm::on_stack(stack.start as *mut u8, stack.len(), work) }
}
