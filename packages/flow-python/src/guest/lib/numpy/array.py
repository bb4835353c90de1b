"""Arrays: numbers in a flat list, and a shape."""

import math
import operator

from numpy.kinds import DType, kind_of, scalar


def missing(name):
    return AttributeError(f"numpy.{name} needs the wheel of numpy")


class ndarray:
    """An array of any shape; arithmetic is for one and two dimensions."""

    def __init__(self, flat, shape, dtype=None):
        self._flat = flat
        self.shape = tuple(shape)
        self.dtype = DType(dtype) if dtype is not None else kind_of(flat)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return len(self._flat)

    @property
    def T(self):
        if self.ndim < 2:
            return self
        rows, columns = self.shape
        return ndarray([self._flat[r * columns + c] for c in range(columns) for r in range(rows)], (columns, rows), self.dtype)

    def transpose(self):
        return self.T

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(f"ndarray.{name}")

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def __bool__(self):
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self._flat[0])

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __contains__(self, value):
        return value in self._flat

    def __repr__(self):
        return f"array({self.tolist()!r})"

    def __str__(self):
        return str(self.tolist()).replace(",", "")

    def item(self, at=0):
        if self.size != 1 and at == 0:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._flat[at]

    def tolist(self):
        return _nested(self._flat, self.shape)

    def copy(self):
        return ndarray(list(self._flat), self.shape, self.dtype)

    def astype(self, kind, **_options):
        dtype = DType(kind)
        return ndarray([dtype.convert(value) for value in self._flat], self.shape, dtype)

    def reshape(self, *shape):
        shape = list(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
        if -1 in shape:
            known = math.prod(one for one in shape if one != -1)
            shape[shape.index(-1)] = self.size // known if known else 0
        if math.prod(shape) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(shape)}")
        return ndarray(list(self._flat), shape, self.dtype)

    def flatten(self):
        return ndarray(list(self._flat), (self.size,), self.dtype)

    ravel = flatten

    def squeeze(self):
        return ndarray(self._flat, [one for one in self.shape if one != 1], self.dtype)

    # Access

    def __getitem__(self, key):
        places, shape = _places(self, key)
        if shape is None:
            return scalar(self._flat[places])
        return ndarray([self._flat[at] for at in places] if not isinstance(places, slice) else self._flat[places], shape, self.dtype)

    def __setitem__(self, key, value):
        places, shape = _places(self, key)
        if shape is None:
            self._flat[places] = self.dtype.convert(value)
            return
        places = range(self.size)[places] if isinstance(places, slice) else places
        values = spread(asarray(value), shape)
        for at, one in zip(places, values, strict=True):
            self._flat[at] = one

    # Arithmetic

    def _each(self, other, act):
        other = asarray(other)
        if other.size == 1 and other.ndim <= self.ndim:
            value = other._flat[0]
            return ndarray([act(one, value) for one in self._flat], self.shape)
        if self.shape == other.shape:
            return ndarray(list(map(act, self._flat, other._flat)), self.shape)
        shape = joined(self.shape, other.shape)
        return ndarray(list(map(act, spread(self, shape), spread(other, shape))), shape)

    def __matmul__(self, other):
        return dot(self, other)

    def __rmatmul__(self, other):
        return dot(other, self)

    def dot(self, other):
        return dot(self, other)

    def __neg__(self):
        return ndarray([-one for one in self._flat], self.shape)

    def __abs__(self):
        return ndarray([abs(one) for one in self._flat], self.shape)

    def __invert__(self):
        return ndarray([not one for one in self._flat], self.shape)

    __hash__ = None

    # Reductions

    def _reduce(self, act, axis=None, keepdims=False):
        if axis is None:
            return scalar(act(self._flat))
        if self.ndim == 1:
            return scalar(act(self._flat))
        if self.ndim != 2:
            raise missing("an axis of more than two dimensions")
        axis = axis % 2
        made = [act(part) for part in (self._columns() if axis == 0 else self._rows())]
        return ndarray(made, ((1, len(made)) if axis == 0 else (len(made), 1)) if keepdims else (len(made),))

    def _rows(self):
        columns = self.shape[1]
        return [self._flat[at : at + columns] for at in range(0, self.size, columns)] if columns else [[] for _ in range(self.shape[0])]

    def _columns(self):
        columns = self.shape[1]
        return [self._flat[at::columns] for at in range(columns)]

    def cumsum(self, axis=None):
        import itertools

        return ndarray(list(itertools.accumulate(self._flat)), (self.size,))

    def argsort(self, axis=-1):
        parts = [self._flat] if self.ndim == 1 else self._rows()
        return ndarray([at for part in parts for at in sorted(range(len(part)), key=part.__getitem__)], self.shape, "int64")

    def sort(self, axis=-1):
        parts = [self._flat] if self.ndim == 1 else self._rows()
        self._flat = [one for part in parts for one in sorted(part)]

    def clip(self, low=None, high=None):
        def inside(value):
            value = value if low is None else max(value, low)
            return value if high is None else min(value, high)

        return ndarray([inside(one) for one in self._flat], self.shape)

    def round(self, digits=0):
        return ndarray([round(one, digits) for one in self._flat], self.shape)


def _mean(values):
    return math.fsum(values) / len(values) if values else math.nan


def variance(values, ddof=0):
    mean = _mean(values)
    return math.fsum((one - mean) ** 2 for one in values) / (len(values) - ddof)


_REDUCTIONS = {
    "sum": lambda values: math.fsum(values) if any(isinstance(one, float) for one in values) else sum(values),
    "mean": _mean,
    "min": min,
    "max": max,
    "argmin": lambda values: values.index(min(values)),
    "argmax": lambda values: values.index(max(values)),
    "any": any,
    "all": all,
    "prod": math.prod,
}
for _name, _act in _REDUCTIONS.items():
    setattr(ndarray, _name, lambda self, axis=None, keepdims=False, act=_act, **_options: self._reduce(act, axis, keepdims))
ndarray.var = lambda self, axis=None, ddof=0, keepdims=False: self._reduce(lambda part: variance(part, ddof), axis, keepdims)
ndarray.std = lambda self, axis=None, ddof=0, keepdims=False: self._reduce(lambda part: math.sqrt(variance(part, ddof)), axis, keepdims)


def _divide(one, other):
    if other:
        return one / other
    return math.nan if one == 0 or one != one else math.copysign(math.inf, one)


_OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": _divide, "floordiv": operator.floordiv,
    "mod": operator.mod, "pow": operator.pow,
}
_COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
                "and": operator.and_, "or": operator.or_, "xor": operator.xor}
for _name, _act in {**_OPERATORS, **_COMPARISONS}.items():
    setattr(ndarray, f"__{_name}__", lambda self, other, act=_act: self._each(other, act))
for _name, _act in _OPERATORS.items():
    setattr(ndarray, f"__r{_name}__", lambda self, other, act=_act: self._each(other, lambda one, value: act(value, one)))


def asarray(given, dtype=None):
    """Make an array of numbers, lists, arrays and columns."""
    if isinstance(given, ndarray):
        return given if dtype is None or given.dtype == dtype else given.astype(dtype)
    if hasattr(given, "tolist") and not isinstance(given, (int, float)):
        given = given.tolist()
    flat, shape = _flatten(given)
    made = ndarray(flat, shape)
    return made if dtype is None else made.astype(dtype)


def _flatten(given):
    if isinstance(given, ndarray):
        return list(given._flat), given.shape
    if not isinstance(given, (list, tuple, range)):
        return [given], ()
    if not given or not isinstance(given[0], (list, tuple, range, ndarray)):
        return list(given), (len(given),)
    flat, inner = [], None
    for part in given:
        values, shape = _flatten(part)
        if inner is not None and shape != inner:
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        inner = shape
        flat += values
    return flat, (len(given), *inner)


def _nested(flat, shape):
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return list(flat)
    step = math.prod(shape[1:])
    return [_nested(flat[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]


def _places(array, key):
    """Return the place of one element (shape None), or the places of several with their shape."""
    if isinstance(key, list):
        key = asarray(key)
    if isinstance(key, ndarray) and key.dtype == "bool" and key.shape == array.shape:
        found = [at for at, wanted in enumerate(key._flat) if wanted]
        return found, (len(found),)
    keys = key if isinstance(key, tuple) else (key,)
    if any(one is Ellipsis for one in keys):
        raise missing("...")
    if None in [one for one in keys if one is None]:
        return range(array.size), _with_new_axes(array.shape, keys)
    steps = [math.prod(array.shape[axis + 1 :]) for axis in range(array.ndim)]
    places, shape = [0], []
    for axis, length in enumerate(array.shape):
        one = keys[axis] if axis < len(keys) else slice(None)
        if isinstance(one, slice):
            picked = range(length)[one]
        elif isinstance(one, (list, ndarray)):
            one = asarray(one)
            picked = [at for at, wanted in enumerate(one._flat) if wanted] if one.dtype == "bool" else [at % length for at in one._flat]
        else:
            if not -length <= one < length:
                raise IndexError(f"index {one} is out of bounds for axis {axis} with size {length}")
            picked = None
            places = [at + (one % length) * steps[axis] for at in places]
        if picked is not None:
            shape.append(len(picked))
            places = [at + index * steps[axis] for at in places for index in picked]
    if not shape:
        return places[0], None
    return places, tuple(shape)


def _with_new_axes(shape, keys):
    left, made = list(shape), []
    for one in keys:
        if one is None:
            made.append(1)
        elif one == slice(None):
            made.append(left.pop(0))
        else:
            raise missing("newaxis beside other indices")
    return (*made, *left)


def joined(one, other):
    """Return the shape of two arrays together."""
    length = max(len(one), len(other))
    pairs = zip((1,) * (length - len(one)) + tuple(one), (1,) * (length - len(other)) + tuple(other))
    made = []
    for a, b in pairs:
        if a != b and 1 not in (a, b):
            raise ValueError(f"operands could not be broadcast together with shapes {tuple(one)} {tuple(other)}")
        made.append(b if a == 1 else a)
    return tuple(made)


def spread(array, shape):
    """Return the values of an array, repeated to a shape of at most two dimensions."""
    if array.shape == tuple(shape):
        return array._flat
    if array.size == 1:
        return array._flat * math.prod(shape)
    if joined(array.shape, shape) != tuple(shape):
        raise ValueError(f"could not broadcast input array from shape {array.shape} into shape {tuple(shape)}")
    if len(shape) > 2:
        raise missing("broadcasting of more than two dimensions")
    rows, columns = shape
    if array.ndim == 1 or array.shape[0] == 1:
        return array._flat * rows
    return [value for value in array._flat for _ in range(columns)]


def product(one, other):
    """Return the sum of products; far quicker here than `math.sumprod`, which is exact."""
    return sum(map(operator.mul, one, other))


def dot(one, other):
    """Return the product of vectors and matrices."""
    one, other = asarray(one), asarray(other)
    if not one.shape or not other.shape:
        return one * other
    if one.shape[-1] != other.shape[0]:
        raise ValueError(f"shapes {one.shape} and {other.shape} not aligned: {one.shape[-1]} != {other.shape[0]}")
    if one.ndim == 1 and other.ndim == 1:
        return scalar(product(one._flat, other._flat))
    rows = [one._flat] if one.ndim == 1 else one._rows()
    columns = [other._flat] if other.ndim == 1 else other._columns()
    flat = [product(row, column) for row in rows for column in columns]
    shape = (*one.shape[:-1], *other.shape[1:])
    return ndarray(flat, shape)
