use std::collections::HashMap;

pub struct Cart<T> {
    items: Vec<T>,
}

pub trait Valued {
    fn value(&self) -> i64;
}

mod output {
    #[inline(never)]
    pub fn line(name: &str, price: i64) -> String {
        format!("{};{}", name, price)
    }
}

impl Valued for Cart<i64> {
    /// The sum.
    fn value(&self) -> i64 {
        self.items.iter().map(|item| item * 3).sum()
    }
}

impl<T> Cart<T> {
    pub fn add(&mut self, item: T) {
        self.items.insert(0, item);
    }
}

pub fn count_names(names: &[String]) -> usize {
    let mut seen = HashMap::new();
    for name in names {
        *seen.entry(name.clone()).or_insert(0) += 1;
    }
    seen.len()
}
