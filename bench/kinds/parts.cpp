// A program of C++ whose parts take about the same time: bench/kinds.py changes one of them in each commit.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#define APART __attribute__((noinline))

namespace shop {

static unsigned state = 7;

APART unsigned draw()
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

struct item {
	unsigned key;
	unsigned price;
	std::string name;
};

// A template of several instances: its body may change, or one caller's argument.
template <int Width>
APART unsigned blend(const std::vector<unsigned> &line)
{
	unsigned sum = 0;

	for (std::size_t i = 0; i + Width <= line.size(); i++)
		for (int k = 0; k < Width; k++)
			sum = sum * 3 + line[i + k];
	return sum;
}

APART unsigned blur(const std::vector<unsigned> &line)
{
	return blend<8>(line);
}

APART unsigned sharpen(const std::vector<unsigned> &line)
{
	return blend<5>(line);
}

template <class T>
APART T total(const std::vector<T> &line)
{
	T sum = 0;

	for (const T &value : line)
		sum += value * (sum > 1000 ? 1 : 2);
	return sum;
}

class stock {
public:
	APART void add(const item &one)
	{
		items.push_back(one);
	}

	APART void arrange()
	{
		std::sort(items.begin(), items.end(), [](const item &a, const item &b) { return a.key < b.key; });
	}

	APART unsigned find_all(unsigned step) const
	{
		std::map<unsigned, const item *> index;
		unsigned sum = 0;

		for (const item &one : items)
			index[one.key] = &one;
		for (unsigned key = 0; key < 60000; key += step) {
			auto at = index.find(key);
			sum += at == index.end() ? 1 : at->second->price;
		}
		return sum;
	}

	APART unsigned label() const
	{
		unsigned sum = 0;

		for (const item &one : items) {
			std::string text = one.name;
			text += ':';
			text += std::to_string(one.price);
			sum += static_cast<unsigned>(text.size()) + static_cast<unsigned char>(text.back());
		}
		return sum;
	}

private:
	std::vector<item> items;
};

APART unsigned trade(int round)
{
	stock all;

	for (unsigned i = 0; i < 1500; i++)
		all.add({draw() % 60000, i, "item number " + std::to_string(i + round)});
	all.arrange();
	return all.find_all(40) + all.label();
}

} // namespace shop

int main()
{
	std::vector<unsigned> line(20000);
	std::vector<float> small(20000);
	unsigned sum = 0;

	for (std::size_t i = 0; i < line.size(); i++) {
		line[i] = shop::draw();
		small[i] = static_cast<float>(line[i] % 100);
	}
	for (int round = 0; round < 80; round++) {
		sum += shop::blur(line) + shop::sharpen(line) + shop::total(line);
		sum += static_cast<unsigned>(shop::total(small)) + shop::trade(round);
	}
	std::printf("%u\n", sum);
	return 0;
}
