use proptest::prelude::*;

use super::*;

/// A heap over memory of its own.
struct Fixture {
    heap: Heap,
    _memory: Vec<u128>,
}

fn heap(bytes: usize) -> Fixture {
    let mut memory = vec![0_u128; bytes / 16];
    let start = memory.as_mut_ptr() as usize;
    Fixture { heap: Heap::new(start..start + bytes), _memory: memory }
}

/// Walks all blocks and checks every invariant that the module promises.
fn check(heap: &Heap) {
    let mut block = heap.first;
    let (mut used, mut free, mut previous_in_use) = (0, 0, true);
    while block < heap.top {
        let header = unsafe { read(block) };
        let size = header & !FLAGS;
        assert!(size >= MIN_BLOCK && size.is_multiple_of(ALIGN));
        assert_eq!(header & PREVIOUS_IN_USE != 0, previous_in_use);
        let in_use = header & IN_USE != 0;
        assert!(in_use || previous_in_use, "free neighbours are merged");
        if in_use {
            used += size;
        } else {
            assert_eq!(unsafe { read(block + size - HEADER_BYTES) }, size);
            free += 1;
        }
        previous_in_use = in_use;
        block += size;
    }
    assert_eq!(block, heap.top);
    assert!(previous_in_use, "a free block below top is part of top");
    assert_eq!(used, heap.used);
    let mut listed = 0;
    heap.for_each_free(|_| listed += 1);
    assert_eq!(listed, free);
}

#[derive(Debug, Clone)]
enum Step {
    Allocate(usize),
    Aligned(usize, u32),
    Free(usize),
    Resize(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![1_usize..200, 1_usize..5000, 1_usize..100_000];
    let step = prop_oneof![
        4 => size.clone().prop_map(Step::Allocate),
        1 => (1_usize..2000, 5_u32..10).prop_map(|(bytes, log)| Step::Aligned(bytes, log)),
        3 => any::<usize>().prop_map(Step::Free),
        2 => (any::<usize>(), size).prop_map(|(index, bytes)| Step::Resize(index, bytes)),
    ];
    proptest::collection::vec(step, 1..300)
}

proptest! {
    #[test]
    fn live_blocks_keep_their_content_and_the_heap_its_invariants(steps in steps()) {
        let mut fixture = heap(4 << 20);
        let heap = &mut fixture.heap;
        let mut live: Vec<(*mut u8, usize, u8)> = Vec::new();

        for (number, step) in steps.into_iter().enumerate() {
            let mark = number as u8;
            match step {
                Step::Allocate(bytes) | Step::Aligned(bytes, _) => {
                    let align = if let Step::Aligned(_, log) = step { 1 << log } else { 16 };
                    let pointer = heap.allocate_aligned(bytes, align);
                    if !pointer.is_null() {
                        prop_assert_eq!(pointer as usize % align, 0);
                        let usable = unsafe { Heap::usable_size(pointer) };
                        prop_assert!(usable >= bytes);
                        unsafe { std::ptr::write_bytes(pointer, mark, bytes) };
                        live.push((pointer, bytes, mark));
                    }
                }
                Step::Free(index) if !live.is_empty() => {
                    let (pointer, bytes, mark) = live.swap_remove(index % live.len());
                    let content = unsafe { std::slice::from_raw_parts(pointer, bytes) };
                    prop_assert!(content.iter().all(|&byte| byte == mark));
                    unsafe { heap.free(pointer) };
                }
                Step::Resize(index, bytes) if !live.is_empty() => {
                    let index = index % live.len();
                    let (pointer, old, mark) = live[index];
                    let moved = unsafe { heap.reallocate(pointer, bytes) };
                    if !moved.is_null() {
                        let kept = unsafe { std::slice::from_raw_parts(moved, old.min(bytes)) };
                        prop_assert!(kept.iter().all(|&byte| byte == mark));
                        unsafe { std::ptr::write_bytes(moved, mark, bytes) };
                        live[index] = (moved, bytes, mark);
                    }
                }
                _ => {}
            }
            check(heap);
        }
        for (pointer, _, _) in live {
            unsafe { heap.free(pointer) };
        }
        prop_assert_eq!((heap.top, heap.used), (heap.first, 0));
    }
}

#[test]
fn beyond_the_limit_an_allocation_is_refused_and_remembered() {
    let mut fixture = heap(1 << 20);
    let heap = &mut fixture.heap;
    heap.set_limit(1000);
    let small = heap.allocate_limited(500);

    assert!(!small.is_null() && !heap.refused());
    assert!(heap.allocate_limited(600).is_null());
    assert!(unsafe { heap.reallocate_limited(small, 2000) }.is_null());
    assert!(heap.refused());
    heap.set_limit(2000);
    assert!(!heap.refused() && !heap.allocate_limited(600).is_null());
}

#[test]
fn a_full_region_gives_null() {
    let mut fixture = heap(4096);

    assert!(fixture.heap.allocate(5000).is_null());
    assert!(fixture.heap.allocate(usize::MAX).is_null());
    check(&fixture.heap);
}
