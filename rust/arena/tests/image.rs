//! A whole life of an arena: boot, use, suspend, reset, resume. One test, because the arena is one per process.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test has the arena to itself and holds no references"
)]

use std::collections::BTreeMap;

use toolcell_arena::{BaseImage, DeltaError, RoutingAllocator, arena, inside, map, root, set_root};

#[global_allocator]
static ALLOCATOR: RoutingAllocator = RoutingAllocator;

type Table = BTreeMap<u32, String>;

fn table() -> &'static mut Table {
    unsafe { &mut *root().cast::<Table>() }
}

#[expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
fn suspend(base: &BaseImage) -> Vec<u8> {
    unsafe { base.delta(usize::MAX).unwrap() }
}

#[test]
fn an_arena_is_its_bytes() {
    map().unwrap();
    inside(|| {
        let table: Table = (0..1000).map(|key| (key, format!("value {key}"))).collect();
        set_root(Box::into_raw(Box::new(table)).cast());
    });
    let base = BaseImage::take();
    let booted = table().clone();

    // Untouched: almost nothing to store.
    assert!(suspend(&base).len() < 200);

    // Changed in many places; free space, old and new, is full of garbage.
    inside(|| {
        table().retain(|key, _| key % 3 != 0);
        table().extend((5000..9000).map(|key| (key, format!("new {key}"))));
        drop(vec![0xAB_u8; 30 << 20]);
        let low = vec![0xCD_u8; 20 << 20];
        table().insert(1, "on top".repeat(10));
        drop(low);
    });
    let changed = table().clone();
    let image = suspend(&base);
    assert!(image.len() < 200 << 10, "30 MB of garbage made an image of {} bytes", image.len());
    assert_eq!(*table(), changed, "suspending changes nothing");

    unsafe { base.reset() };
    assert_eq!(*table(), booted);
    assert_eq!(suspend(&base), suspend(&BaseImage::take()), "a reset arena equals the base image");

    unsafe { base.apply(&image).unwrap() };
    assert_eq!(*table(), changed);
    inside(|| table().clear());
    unsafe { base.reset() };

    // What is not a delta is refused, and a reset makes good what was written of it.
    let mut lies = vec![vec![], vec![9; 3], image[..image.len() / 2].to_vec(), [&image[..], b"x"].concat()];
    let far = [1_u32.to_le_bytes(), u32::MAX.to_le_bytes(), 1_u32.to_le_bytes()].concat();
    lies.push(far);
    for lie in lies {
        assert_eq!(unsafe { base.apply(&lie) }, Err(DeltaError::Malformed));
        unsafe { base.reset() };
    }
    assert_eq!(*table(), booted);

    // The size limit holds, and the arena can go on.
    let too_small = unsafe { base.delta(3) };
    assert!(matches!(too_small, Err(DeltaError::TooLarge { allowed: 3, .. })));
    assert!(arena().used() > 0);
}
