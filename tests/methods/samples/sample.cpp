// One of each way in which C++ defines a function.
#include <string>

#define API
#define LOCKED(m)

namespace outer::inner
{

class API Widget : public Base
{
      public:
	Widget() : size_(0)
	{
	}
	explicit Widget(int size) noexcept : size_(size)
	{
	}
	~Widget() = default;
	Widget(const Widget &other) = delete;
	int size() const
	{
		return size_;
	}
	int &size()
	{
		return size_;
	}
	void locked(int x) LOCKED(mutex_)
	{
		size_ = x;
	}
	bool operator==(const Widget &other) const
	{
		return size_ == other.size_;
	}
	operator bool() const
	{
		return size_ != 0;
	}
	virtual void pure() = 0;
	void declared(int (*callback)(int, char), const std::string &name = "x");

      private:
	int size_;
};

void Widget::declared(int (*callback)(int, char), const std::string &name)
{
	struct Local {
		int member(int a)
		{
			return a;
		}
	};
	auto bound = [&](int q) { return q + size_; };
	callback(bound(1), 'x');
}

template <typename T> class Box
{
	T get(T fallback = T()) const;
};

template <typename T> T Box<T>::get(T fallback) const
{
	return fallback;
}

template <> int Box<int>::get(int fallback) const
{
	return fallback + 1;
}

int overloaded(int a)
{
	return a;
}

int overloaded(long a, char b[4])
{
	return b[a];
}

int overloaded(unsigned long a, ...)
{
	return a > 1;
}

} // namespace outer::inner

namespace
{
int hidden()
{
	return 1;
}
} // namespace

Other::operator int()
{
	return 1;
}

int tried() try {
	return 1;
} catch (...) {
	return 2;
}

TEST(Suite, Case)
{
	overloaded(1);
}

auto trailing(int a) -> std::string
{
	return R"x(brace } and "quote")x";
}
