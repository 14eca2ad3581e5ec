// One of each way in which Rust defines a function.
mod outer {
	pub mod inner {
		pub fn plain(a: u32) -> u32 {
			a
		}
	}
}

struct Point<T> {
	x: T,
}

impl<T: Copy> Point<T> {
	pub const fn new(x: T) -> Self {
		Point { x }
	}

	#[inline]
	#[cfg(feature = "x")]
	pub unsafe fn get<'a>(&'a self) -> &'a T {
		fn nested() {}
		let closure = |x: u32| x + 1;
		&self.x
	}
}

impl<T> fmt::Display for Point<T> {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		Ok(())
	}
}

impl<T> fmt::Debug for Point<T> {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		Err(fmt::Error)
	}
}

trait Shape {
	fn area(&self) -> f64;
	fn twice(&self) -> f64 {
		2.0 * self.area()
	}
}

extern "C" fn exported() {}

async fn asynchronous() {}

macro_rules! impl_shape {
	($t:ty) => {
		impl Shape for $t {
			fn area(&self) -> f64 {
				1.0
			}
		}
	};
}
