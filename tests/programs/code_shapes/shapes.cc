/*
 * Shapes with virtual methods, an exception, a template and an object that is made before main(): what C++
 * adds to a program.
 */
#include <cstdio>
#include <stdexcept>
#include <string>

struct shape {
	virtual ~shape() = default;
	virtual int sides() const = 0;
	virtual int angles() const { return sides(); }
};

struct square final : shape {
	int sides() const override { return 4; }
	int angles() const override { return 40; }
};

struct circle final : shape {
	int sides() const override { return 0; }
};

static int made;

struct register_one {
	explicit register_one(int n) { made += n; }
};

static register_one before(made + 1), after(made * 3);

template <typename T> __attribute__((noinline)) T twice(T value)
{
	return value + value;
}

__attribute__((noinline)) static void refuse(int n)
{
	if (n > 2)
		throw n;
	if (n > 1)
		throw std::runtime_error("too many");
}

__attribute__((noinline)) static int guarded(int n)
{
	try {
		refuse(n);
	} catch (int) {
		return 1;
	} catch (const std::exception &) {
		return 2;
	}
	return 0;
}

__attribute__((noinline)) static int count(const shape &s)
{
	return s.sides() * 10 + s.angles();
}

int main(int argc, char **)
{
	square four;
	circle round;
	std::string text = twice(std::string("ab"));

	std::printf("%d %d %d %s %d\n", count(four), count(round), guarded(argc), text.c_str(), twice(argc));
	return made == 0;
}
