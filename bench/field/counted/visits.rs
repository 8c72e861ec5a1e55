// Counts visits in a hash map, whose random keys differ in every run. The two constants are the work of `mark` and of
// `level`.
use std::collections::HashMap;

const MARK: u32 = 1000;
const LEVEL: u32 = 1000;
const VISITS: u32 = 70000;

#[inline(never)]
fn mark(page: u32) -> u32 {
    let mut found = page;
    for at in 0..std::hint::black_box(MARK / 10) {
        found = found.wrapping_mul(31) ^ at;
    }
    found
}

#[inline(never)]
fn level(page: u32) -> u32 {
    let mut found = 0u32;
    for at in 0..std::hint::black_box(LEVEL / 10) {
        found += (page >> (at & 7)) & 1;
    }
    found
}

fn main() {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let (mut state, mut sum) = (7u32, 0u32);
    for _ in 0..VISITS {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        *counts.entry(format!("/pages/{}", (state >> 8) % 3000)).or_default() += 1;
        sum = sum.wrapping_add(mark(state)).wrapping_add(level(state));
    }
    println!("{} {}", counts.values().max().unwrap(), sum);
}
