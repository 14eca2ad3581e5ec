// Stages, each with a thread of its own, and bounded queues between them.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#define APART __attribute__((noinline))

using std::chrono::microseconds;

APART static unsigned work(unsigned seed, int turns)
{
	for (int i = 0; i < turns; i++)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

APART static void nap(int us)
{
	std::this_thread::sleep_for(microseconds(us));
}

struct Channel {
	std::mutex lock;
	std::condition_variable changed;
	std::deque<unsigned> items;
	std::size_t room = 8;

	APART void put(unsigned item)
	{
		std::unique_lock<std::mutex> held(lock);
		changed.wait(held, [this] { return items.size() < room; });
		items.push_back(item);
		changed.notify_all();
	}

	APART unsigned take()
	{
		std::unique_lock<std::mutex> held(lock);
		changed.wait(held, [this] { return !items.empty(); });
		unsigned item = items.front();
		items.pop_front();
		changed.notify_all();
		return item;
	}
};

class Log {
public:
	APART void add(unsigned item)
	{
		std::lock_guard<std::mutex> held(lock);
		sum += work(item, 30000);
	}

	unsigned sum = 0;

private:
	std::mutex lock;
};

static Channel parsed, shaped;
static Log events;
static const int items = 150;

APART static unsigned parse(int number)
{
	nap(1000);
	return work(static_cast<unsigned>(number), 100000);
}

APART static unsigned shape(unsigned item)
{
	nap(2400);
	return work(item, 100000);
}

APART static unsigned store(unsigned item)
{
	nap(1000);
	return work(item, 50000);
}

APART static void run_parser()
{
	for (int i = 0; i < items; i++) {
		parsed.put(parse(i));
		events.add(1);
	}
}

APART static void run_shaper()
{
	for (int i = 0; i < items; i++) {
		shaped.put(shape(parsed.take()));
		events.add(2);
	}
}

int main()
{
	std::thread parser(run_parser), shaper(run_shaper);
	unsigned sum = 0;

	for (int i = 0; i < items; i++)
		sum += store(shaped.take());
	parser.join();
	shaper.join();
	std::printf("%u %u\n", sum, events.sum);
}
