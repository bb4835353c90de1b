"""Random numbers; with a seed they repeat, but they are not those of numpy."""

import math
import random as _random

from numpy.array import asarray, missing, ndarray
from numpy.kinds import scalar


def _many(shape, act):
    if not shape:
        return scalar(act())
    return ndarray([act() for _ in range(math.prod(shape))], shape)


def seed(value=None):
    _random.seed(value)


def rand(*shape):
    return _many(shape, _random.random)


def randn(*shape):
    return _many(shape, lambda: _random.gauss(0, 1))


def random(size=None):
    return _many(_shape(size), _random.random)


def normal(loc=0.0, scale=1.0, size=None):
    return _many(_shape(size), lambda: _random.gauss(loc, scale))


def uniform(low=0.0, high=1.0, size=None):
    return _many(_shape(size), lambda: _random.uniform(low, high))


def randint(low, high=None, size=None):
    low, high = (0, low) if high is None else (low, high)
    return _many(_shape(size), lambda: _random.randrange(low, high))


def choice(given, size=None, replace=True, p=None):
    items = list(range(given)) if isinstance(given, int) else asarray(given).tolist()
    if size is None:
        return _random.choices(items, p)[0]
    shape = _shape(size)
    count = math.prod(shape)
    return asarray(_random.choices(items, p, k=count) if replace else _random.sample(items, count)).reshape(shape)


def shuffle(items):
    values = [items[at] for at in range(len(items))]
    _random.shuffle(values)
    for at, value in enumerate(values):
        items[at] = value


def _shape(size):
    return () if size is None else (size,) if isinstance(size, int) else tuple(size)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"random.{name}")
