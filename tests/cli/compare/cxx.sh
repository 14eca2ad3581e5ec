# Methods of C++ are found in the trees under what debug information calls them: overloads, templates, anonymous
# namespaces, constructors, operators, lambdas.
needs g++
empty_repo
cat >perfevo.yml <<'END2'
build: g++ -std=c++17 -O0 -g prog.cc shape.cc -o prog
profile: {mode: counting}
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}}
benchmarks: {prog: {command: ./prog, repeats: 1, warmup: 0, allocations: false}}
END2
cat >shape.h <<'END2'
#include <string>
namespace geo {
template <typename T> struct box {
	T at;
	explicit box(T value) : at(value) {}
	T area() const { return at * at; }
	bool operator<(const box &other) const { return at < other.at; }
};
int scale(int value);
double scale(double value);
int scale(const std::string &value, unsigned long factor);
class Shape {
public:
	Shape();
	~Shape();
	virtual int sides() const;
	static int made();
private:
	static int count;
};
}
END2
cat >shape.cc <<'END2'
#include "shape.h"
namespace {
int helper(int x) { return x + 1; }
int other(int x) { return x + 2; }
}
namespace geo {
int Shape::count = 0;
int scale(int value) { return helper(value); }
double scale(double value) { return other(static_cast<int>(value)); }
int scale(const std::string &value, unsigned long factor) { return static_cast<int>(value.size() * factor); }
Shape::Shape() { count++; }
Shape::~Shape() { count--; }
int Shape::sides() const { return 3; }
int Shape::made() { return count; }
}
END2
cat >prog.cc <<'END2'
#include "shape.h"
static int twice(int x)
{
	auto lambda = [](int y) { return y * 2; };
	return lambda(x);
}
int main()
{
	geo::Shape shape;
	geo::box<int> a(1), b(2);
	geo::box<double> c(1.5);
	return geo::scale(1) + (int)geo::scale(2.0) + geo::scale(std::string("x"), 2) + shape.sides() +
	       geo::Shape::made() + a.area() + (int)c.area() + (a < b) + twice(1) < 0;
}
END2
save first
sed -i 's/return other(static_cast<int>(value));/return other(static_cast<int>(value)) + 1;/; s/return x + 2;/return x + 3;/; s/return 3;/return 4;/; s/{ count--; }/{ count -= 1; }/' shape.cc
sed -i 's/return at \* at;/return at * at * 1;/; s/return at < other.at;/return other.at > at;/' shape.h
sed -i 's/return y \* 2;/return y + y;/' prog.cc
save second
perfevo compare -q --format json HEAD~1 >../one
sqlite3 -separator ' ' :memory: "
	SELECT value ->> 'source', value ->> 'code', value ->> 'name' FROM json_each(readfile('../one'), '\$.benchmarks[0].methods')
	WHERE value ->> 'component' IN ('prog.cc', 'shape.cc', 'shape.h') ORDER BY 1, 3, 2"
