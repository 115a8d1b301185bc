#![allow(dead_code)]
use std::{fmt, io};
extern crate foo;
mod other;
/// doc
#[derive(Debug, Clone)]
pub struct Point<T: Copy = i32> where T: X { pub x: T, }
pub struct Unit;
pub struct Tup(pub i32, u8);
enum E { A, B(i32), C { x: i32 } }
impl<T: Copy> Point<T> {
    pub const ZERO: i32 = 0;
    /// doc
    #[inline]
    pub async fn new<'a>(x: &'a T) -> Self where T: 'a {
        let c = '{'; let l = 'x: loop { break 'x; };
        let s = r#" } " "#; let b = b'\''; let br = br##"}"# "##;
        /* nested /* } */ */
        match c { '}' => {}, '\u{1F600}' => {}, _ => {} }
        Self { x }
    }
    pub(crate) unsafe extern "C" fn raw(&self) {}
}
impl<'a, T> fmt::Display for Wrap<'a, T> where T: fmt::Debug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", 1) }
}
impl<T> From<T> for Box<dyn Error> { fn from(t: T) -> Self { todo!() } }
pub trait Tr: Send + Sync { const N: usize; type Out; fn req(&self) -> [u8; Self::N]; fn def(&self) {} }
pub const fn cf() -> u32 { 1 }
static mut G: &str = "x";
const ARR: [i32; 3] = [1, 2, 3];
pub type Res<T> = Result<T, Error>;
macro_rules! mac { ($x:expr) => { $x }; }
mac!(1);
thread_local! { static X: i32 = 1; }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn it_works() { assert_eq!(1, 1,); }
}
extern "C" { fn ext(a: i32) -> i32; }
