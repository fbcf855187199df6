// caught.rs - traits, generics, panics that leave many frames and are caught. status: 0
use std::panic;

trait Shape { fn area(&self) -> u64; }
struct Square(u64);
struct Rect { a: u64, b: u64 }
impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}
impl Shape for Rect {
    fn area(&self) -> u64 {
        self.a * self.b
    }
}

struct Guard<'a>(&'a mut u64);
impl Drop for Guard<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        *self.0 += 1;
    }
}

#[inline(never)]
fn largest<T: PartialOrd + Copy>(v: &[T]) -> T {
    let mut best = v[0];
    for x in v {
        if *x > best {
            best = *x;
        }
    }
    best
}

#[inline(never)]
fn deep(n: u32, left: &mut u64) -> u32 {
    let _guard = Guard(left);
    if n == 0 {
        panic!("at the bottom");
    }
    1 + deep(n - 1, _guard.0)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let shapes: Vec<Box<dyn Shape>> = (1..20)
        .map(|i| if i % 3 == 0 { Box::new(Square(i)) as Box<dyn Shape> } else { Box::new(Rect { a: i, b: i + 1 }) })
        .collect();
    let sum: u64 = shapes.iter().map(|s| s.area()).sum();
    let mut left = 0;
    for i in 0..10 {
        let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| deep(i, &mut left)));
        assert!(caught.is_err());
    }

    println!("{} {} {} {}", sum, left, largest(&[3, 9, 2]), largest(&[0.5, -1.0]));
}
