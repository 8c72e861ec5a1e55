use std::collections::HashMap;

pub struct Cart<T> {
    items: Vec<T>,
}

pub trait Valued {
    fn value(&self) -> i64;
}

impl<T> Cart<T> {
    pub fn add(&mut self, item: T) {
        self.items.push(item);
    }
}

impl Valued for Cart<i64> {
    fn value(&self) -> i64 {
        self.items.iter().map(|item| item * 2).sum()
    }
}

pub fn count_all(names: &[String]) -> usize {
    let mut seen = HashMap::new();
    for name in names {
        *seen.entry(name.clone()).or_insert(0) += 1;
    }
    seen.len()
}

mod output {
    pub fn line(name: &str, price: i64) -> String {
        format!("{};{}", name, price)
    }
}
