"""One of each way in which Python defines a function."""


def plain(a, b=1, *rest, **named):
    return a


async def asynchronous():
    return 1


class Shape(Base):
    class Inner:
        def method(self):
            return 1

    def __init__(self):
        self.callback = lambda x: x

    @property
    @cached
    def area(self):
        def nested(x):
            return x

        return nested(1)

    @area.setter
    def area(self, value):
        self._area = value

    @staticmethod
    def make(): return Shape()


bound = lambda x, y: (x,
                      y)

if CONDITION:
    def alternative():
        return 1
else:
    def alternative():
        return 2
