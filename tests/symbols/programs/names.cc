// What C++ calls things: every kind of name that compilers mangle, or leave unmangled.
#include "mark.h"

#include <string>

#define APART __attribute__((noinline))

namespace
{
APART int hidden(int x, const char *tag)
{
	mark(tag); /* @hidden */
	return x + 1;
}

struct Apart {
	int value;
	APART int get(int k) const
	{
		mark("apart"); /* @apart */
		return value * k;
	}
};
} // namespace

namespace ns
{
template <class T> struct table {
	T value;
	APART T probe(T key, const char *tag) const
	{
		mark(tag); /* @probe */
		return key + value;
	}
};

struct Base {
	int value;
	explicit APART Base(int x) : value(x)
	{
		mark("base"); /* @base */
		value++;
	}
	virtual APART ~Base()
	{
		mark("gone"); /* @gone */
	}
	APART Base &operator+=(const Base &other)
	{
		mark("plus"); /* @plus */
		value += other.value;
		return *this;
	}
	APART operator long() const
	{
		mark("long"); /* @long */
		return value;
	}
};

struct Derived : Base {
	Derived() : Base(4)
	{
	}
};

static APART int quiet(unsigned long x, int (*f)(int), ns::Base &base)
{
	mark("quiet"); /* @quiet */
	return f(static_cast<int>(x)) + base.value;
}

/* What only a signature has: qualifiers of the parameter itself are no part of it. */
static APART int queer(volatile int v, int *volatile p, int &&r, const volatile int *__restrict q,
		       int ns::Base::*member, void *anything)
{
	mark("queer"); /* @queer */
	return v + *p + r + *q + (anything != nullptr && member != nullptr);
}

APART int loud(int x)
{
	mark("loud"); /* @loud */
	return x;
}

APART int loud(const std::string &x)
{
	mark("louder"); /* @louder */
	return static_cast<int>(x.size());
}
} // namespace ns

extern "C" APART int plain(int x)
{
	mark("plain"); /* @plain */
	return x - 1;
}

static volatile int *argument;

int main(int argc, char **)
{
	argument = &argc;
	ns::table<int> table = {argc};
	ns::table<unsigned char> small = {1};
	Apart apart = {argc};
	struct Local {
		static APART int run(int x)
		{
			mark("local"); /* @local */
			return x + *argument;
		}
	};
	auto one = [&](int x) APART {
		mark("one"); /* @one */
		return x + argc;
	};
	auto two = [&](int x) APART {
		mark("two"); /* @two */
		return x - argc;
	};
	ns::Base *base = new ns::Derived();

	argc += hidden(argc, "hidden") + apart.get(2) + table.probe(1, "probe");
	argc += small.probe(1, "small") + ns::loud(1) + ns::loud(std::string("a"));
	argc += ns::quiet(1, plain, *base) + Local::run(1) + one(1) + two(2);
	argc += ns::queer(1, &argc, 2, argument, &ns::Base::value, base);
	*base += *base;
	argc += static_cast<int>(static_cast<long>(*base));
	delete base;
	return argc == 0;
}
