// One of each way in which Java defines a method.
package sample;

import java.util.List;

class Sample<T extends Comparable<T>> {
	private final Runnable field = () -> run();

	Sample(int size) {
		super();
	}

	@Override
	public <U> void generic(final List<? extends U> items, int... rest) throws Exception {
	}

	void overloaded(int a) {
	}

	void overloaded(int[] a, char b[], Map<String, List<T>> c) {
	}

	abstract void declared();

	Object anonymous() {
		Runnable bound = () -> {
			run();
		};
		return new Comparator<String>() {
			public int compare(String a, String b) {
				return 0;
			}
		};
	}

	enum Kind {
		FIRST {
			void act() {
			}
		};

		void common() {
		}
	}

	interface Shape {
		double area();

		default double twice() {
			return 2 * area();
		}
	}

	record Point(int x, int y) {
		Point {
			check(x);
		}

		static Point origin() {
			return new Point(0, 0);
		}
	}
}
