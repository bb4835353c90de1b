"""The part of numpy that components use, in Python: arrays of one and two dimensions."""

import builtins as _builtins
import math as _math

from numpy import linalg, random
from numpy.array import asarray, dot, joined, missing as _missing, ndarray, spread as _spread
from numpy.kinds import DType as dtype
from numpy.kinds import float32, float64, int32, int64, scalar as _scalar

nan, inf, pi, e, newaxis = _math.nan, _math.inf, _math.pi, _math.e, None
bool_, float_, int_, integer, floating, number = _builtins.bool, float64, int64, int, float, (int, float)
matmul = dot


def array(given, dtype=None, **_options):
    made = asarray(given, dtype)
    return made.copy() if made is given else made


def _filled(shape, value, kind=None):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return ndarray([dtype(kind).convert(value) if kind else value] * _math.prod(shape), shape, kind)


def zeros(shape, dtype=None):
    return _filled(shape, 0.0, dtype)


def ones(shape, dtype=None):
    return _filled(shape, 1.0, dtype)


def full(shape, value, dtype=None):
    return _filled(shape, value, dtype)


def zeros_like(given, dtype=None):
    return zeros(asarray(given).shape, dtype)


def ones_like(given, dtype=None):
    return ones(asarray(given).shape, dtype)


def eye(rows, columns=None, dtype=None):
    columns = columns or rows
    made = ndarray([1.0 if r == c else 0.0 for r in range(rows) for c in range(columns)], (rows, columns))
    return made.astype(dtype) if dtype else made


identity = eye


def arange(start, stop=None, step=1, dtype=None):
    start, stop = (0, start) if stop is None else (start, stop)
    count = _builtins.max(0, _math.ceil((stop - start) / step))
    return asarray([start + at * step for at in range(count)], dtype)


def linspace(start, stop, num=50, endpoint=True):
    step = (stop - start) / ((num - 1 if endpoint else num) or 1)
    return ndarray([float(start + at * step) for at in range(num)], (num,))


def outer(one, other):
    one, other = asarray(one).flatten(), asarray(other).flatten()
    return ndarray([a * b for a in one._flat for b in other._flat], (one.size, other.size))


def _reduction(name):
    def act(given, axis=None, **options):
        return getattr(asarray(given), name)(axis=axis, **options)

    act.__name__ = name
    return act


for _name in ("sum", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all", "prod", "cumsum"):
    globals()[_name] = _reduction(_name)
amin, amax = globals()["min"], globals()["max"]


def argsort(given, axis=-1):
    return asarray(given).argsort(axis)


def sort(given, axis=-1):
    made = asarray(given).copy()
    made.sort(axis)
    return made


def median(given, axis=None):
    import statistics

    return asarray(given)._reduce(lambda values: float(statistics.median(values)), axis)


def _elementwise(name, function):
    def act(given):
        made = asarray(given)
        if not made.shape:
            return _scalar(function(made._flat[0]))
        return ndarray([function(one) for one in made._flat], made.shape)

    act.__name__ = name
    return act


def _root(value):
    return _math.sqrt(value) if value >= 0 else nan


def _log(value):
    return _math.log(value) if value > 0 else -inf if value == 0 else nan


abs = absolute = _elementwise("abs", _builtins.abs)
sqrt = _elementwise("sqrt", _root)
exp = _elementwise("exp", lambda value: _math.exp(value) if value < 709 else inf)
log = _elementwise("log", _log)
log2 = _elementwise("log2", lambda value: _log(value) / _math.log(2))
log10 = _elementwise("log10", lambda value: _log(value) / _math.log(10))
sin = _elementwise("sin", _math.sin)
cos = _elementwise("cos", _math.cos)
tanh = _elementwise("tanh", _math.tanh)
floor = _elementwise("floor", lambda value: float(_math.floor(value)))
ceil = _elementwise("ceil", lambda value: float(_math.ceil(value)))
square = _elementwise("square", lambda value: value * value)
sign = _elementwise("sign", lambda value: (value > 0) - (value < 0))
isnan = _elementwise("isnan", lambda value: value != value)
isfinite = _elementwise("isfinite", _math.isfinite)


def clip(given, low, high):
    made = asarray(given)
    return made.clip(low, high) if made.shape else _scalar(made.clip(low, high)._flat[0])


def round(given, decimals=0):
    made = asarray(given)
    return made.round(decimals) if made.shape else _scalar(_builtins.round(made._flat[0], decimals))


around = round


def where(condition, one=None, other=None):
    condition = asarray(condition)
    if one is None:
        if condition.ndim == 1:
            return (asarray([at for at, wanted in enumerate(condition._flat) if wanted]),)
        found = [divmod(at, condition.shape[1]) for at, wanted in enumerate(condition._flat) if wanted]
        return tuple(asarray([place[axis] for place in found]) for axis in (0, 1))
    one, other = asarray(one), asarray(other)
    shape = joined(joined(condition.shape, one.shape), other.shape)
    parts = zip(_spread(condition, shape), _spread(one, shape), _spread(other, shape))
    return ndarray([a if wanted else b for wanted, a, b in parts], shape)


def maximum(one, other):
    return asarray(one)._each(other, lambda a, b: a if a >= b else b)


def minimum(one, other):
    return asarray(one)._each(other, lambda a, b: a if a <= b else b)


def concatenate(arrays, axis=0):
    parts = [asarray(one) for one in arrays]
    if parts[0].ndim > 1 and axis % parts[0].ndim == 1:
        rows = [row for row in zip(*(part._rows() for part in parts), strict=True)]
        return asarray([[value for part in row for value in part] for row in rows])
    if len({part.shape[1:] for part in parts}) > 1:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    return ndarray([value for part in parts for value in part._flat], (_length(parts), *parts[0].shape[1:]))


def _length(parts):
    return _builtins.sum(len(part) for part in parts)


def vstack(arrays):
    return concatenate([one if one.ndim > 1 else one.reshape(1, -1) for one in map(asarray, arrays)])


def hstack(arrays):
    parts = [asarray(one) for one in arrays]
    return concatenate(parts, axis=1 if parts[0].ndim > 1 else 0)


def stack(arrays, axis=0):
    parts = [asarray(one) for one in arrays]
    made = ndarray([value for part in parts for value in part._flat], (len(parts), *parts[0].shape))
    return made if axis == 0 else made.T


def unique(given, return_counts=False):
    values = asarray(given)._flat
    made = sorted(set(values))
    if not return_counts:
        return asarray(made)
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return asarray(made), asarray([counts[value] for value in made])


def array_equal(one, other):
    one, other = asarray(one), asarray(other)
    return one.shape == other.shape and one._flat == other._flat


def allclose(one, other, rtol=1e-05, atol=1e-08):
    return _builtins.all(asarray(one)._each(other, lambda a, b: _builtins.abs(a - b) <= atol + rtol * _builtins.abs(b))._flat)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise _missing(name)
