//! Memory for small things, which an update takes and gives back by the dozen: some of what was given back is kept by
//! its size, and handed out again. The rest is an allocator in which taking and giving back was a fifth of the core's time.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::memory_size;
use std::cell::UnsafeCell;
use std::ptr::{copy_nonoverlapping, null_mut};

/// Sizes are rounded up to so many bytes, up to so many times that.
const STEP: usize = 16;
const SIZES: usize = 32;

/// Pieces of one size that are kept: half a megabyte at most in all, so what one size had another can have.
const KEPT: usize = 64;

/// Memory that has to grow grows by this share of itself more. The other allocators let it grow by what is asked for, mostly one
/// page, and past 64 MB V8 begins a collection of all its garbage each time.
const SPARE: usize = 32;
const PAGE: usize = 64 << 10;

#[cfg(feature = "wasm-objects")]
static REST: std::alloc::System = std::alloc::System;

/// As fast as the standard library's, and 1 KB less for pages to download.
#[cfg(not(feature = "wasm-objects"))]
static REST: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Pieces of one size, each with the address of the next one in it.
struct Pieces {
    first: *mut u8,
    count: usize,
}

struct Memory {
    kept: UnsafeCell<[Pieces; SIZES]>,
}

// SAFETY: without atomics an instance of wasm has one thread.
unsafe impl Sync for Memory {}

#[global_allocator]
static MEMORY: Memory = Memory { kept: UnsafeCell::new([const { Pieces { first: null_mut(), count: 0 } }; SIZES]) };

/// Which size a piece has, counted in steps, and how it is taken from the other allocator. `None` if it isn't small.
fn size(layout: Layout) -> Option<(usize, Layout)> {
    let steps = layout.size().div_ceil(STEP).checked_sub(1).filter(|steps| *steps < SIZES)?;
    let rounded = Layout::from_size_align((steps + 1) * STEP, 8).ok()?;
    (layout.align() <= 8).then_some((steps, rounded))
}

/// What the other allocator answers. It keeps what it is given back, so that whatever is taken next is in the spare room.
fn rest(take: impl FnOnce() -> *mut u8) -> *mut u8 {
    let pages = memory_size::<0>();
    let piece = take();
    if memory_size::<0>() != pages
        && let Ok(spare) = Layout::from_size_align(pages / SPARE * PAGE, 8)
        && spare.size() > 0
    {
        // SAFETY: what is given back is what was taken, if there was so much.
        unsafe {
            let room = REST.alloc(spare);
            if !room.is_null() {
                REST.dealloc(room, spare);
            }
        }
    }
    piece
}

// SAFETY: pieces of one size are interchangeable, because the other allocator was asked for all of them with the same
// layout. One that is kept belongs to nobody, so that its first bytes can hold an address. No reference into `kept`
// outlives a call, and no call is made while there is one.
unsafe impl GlobalAlloc for Memory {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe {
            let Some((steps, rounded)) = size(layout) else { return rest(|| REST.alloc(layout)) };
            match (*self.kept.get()).get_mut(steps) {
                Some(pieces) if pieces.count > 0 => {
                    let piece = pieces.first;
                    pieces.first = piece.cast::<*mut u8>().read();
                    pieces.count -= 1;
                    piece
                }
                _ => rest(|| REST.alloc(rounded)),
            }
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        unsafe {
            let Some((steps, rounded)) = size(layout) else { return REST.dealloc(piece, layout) };
            match (*self.kept.get()).get_mut(steps) {
                Some(pieces) if pieces.count < KEPT => {
                    piece.cast::<*mut u8>().write(pieces.first);
                    pieces.first = piece;
                    pieces.count += 1;
                }
                _ => REST.dealloc(piece, rounded),
            }
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, length: usize) -> *mut u8 {
        unsafe {
            let wanted = Layout::from_size_align_unchecked(length, layout.align());
            match (size(layout), size(wanted)) {
                (None, None) => rest(|| REST.realloc(piece, layout, length)),
                (old, new) if old == new => piece,
                _ => {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        copy_nonoverlapping(piece, moved, layout.size().min(length));
                        self.dealloc(piece, layout);
                    }
                    moved
                }
            }
        }
    }
}
