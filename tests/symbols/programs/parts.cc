// Functions that compilers take apart: variants of a destructor, and what is rarely executed.
#include "mark.h"

struct Thing {
	int value;
	virtual ~Thing();
};

Thing::~Thing()
{
	mark("gone"); /* @gone */
	value = 0;
}

__attribute__((cold, noinline)) static void complain(int x)
{
	mark("cold"); /* @cold */
	if (x > 1000)
		__builtin_trap();
}

__attribute__((noinline)) int rarely(int *values, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (__builtin_expect(values[i] > 100, 0)) {
			complain(values[i]);
			mark("rare"); /* @rare */
			complain(values[i] + 1);
		}
		sum += values[i] * 3;
	}
	return sum;
}

int main(int argc, char **)
{
	int values[] = {argc, 200, argc};
	Thing *thing = new Thing();

	thing->value = rarely(values, 3);
	delete thing;
	return 0;
}
