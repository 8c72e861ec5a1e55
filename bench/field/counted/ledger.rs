// Books amounts by account in an ordered map. The two constants are the work of `rounded` and of `tax`.
use std::collections::BTreeMap;

const ROUNDED: u32 = 1000;
const TAX: u32 = 1000;
const BOOKINGS: u32 = 60000;

#[inline(never)]
fn rounded(amount: u32) -> u32 {
    let mut found = amount;
    for at in 0..std::hint::black_box(ROUNDED / 10) {
        found = found.rotate_left(5) ^ at;
    }
    found
}

#[inline(never)]
fn tax(amount: u32) -> u32 {
    let mut found = 1u32;
    for at in 0..std::hint::black_box(TAX / 10) {
        found = found.wrapping_mul(amount | 1).wrapping_add(at);
    }
    found
}

fn main() {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    let (mut state, mut sum) = (1u32, 0u32);
    for _ in 0..BOOKINGS {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        let name = format!("account {:05} of the general ledger", (state >> 8) % 1200);
        *sums.entry(name).or_default() += u64::from(state % 1000);
        sum = sum.wrapping_add(rounded(state)).wrapping_add(tax(state));
    }
    let text: Vec<String> = sums.iter().map(|(name, sum)| format!("{name}: {sum}")).collect();
    println!("{} {}", text.join("\n").len(), sum);
}
