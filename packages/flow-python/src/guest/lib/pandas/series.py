"""One column of a light table."""

import math
import operator

NA = float("nan")


def missing(name):
    return AttributeError(f"{name} needs pandas: set SERVICE_PYTHON_WHEELS (docs/guides/python-components.md)")


def is_na(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def isna(value):
    if isinstance(value, Series):
        return value.isna()
    return [is_na(item) for item in value] if isinstance(value, list) else is_na(value)


def notna(value):
    found = isna(value)
    return ~found if isinstance(found, Series) else [not item for item in found] if isinstance(found, list) else not found


def kind_of(values):
    """Return the pandas dtype name of a column."""
    known = [value for value in values if not is_na(value)]
    if known and all(isinstance(value, bool) for value in known):
        return "bool" if len(known) == len(values) else "object"
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        whole = len(known) == len(values) and all(isinstance(value, int) for value in known)
        return "int64" if whole else "float64"
    return "float64" if not known and values else "object"


class Values(list):
    """Values or labels of a column: a list with the methods of an array."""

    def tolist(self):
        return list(self)

    to_list = tolist

    @property
    def values(self):
        return Values(self)

    @property
    def size(self):
        return len(self)

    @property
    def shape(self):
        return (len(self),)

    def __getattr__(self, name):
        if name in ("sum", "mean", "min", "max", "median", "std", "any", "all", "unique", "nunique", "astype", "value_counts",
                    "isin", "str", "map", "dtype", "round", "cumsum"):
            return getattr(Series(self), name)
        raise missing(f"array.{name}") if not name.startswith("_") else AttributeError(name)


class Series:
    """A named list of labelled values."""

    def __init__(self, data=None, index=None, name=None, dtype=None):
        if isinstance(data, Series):
            data, index, name = data.values, data.index if index is None else index, name or data.name
        if isinstance(data, dict):
            index, data = list(data), list(data.values())
        self.values = Values(data if data is not None else ())
        self.index = Values(index if index is not None else range(len(self.values)))
        self.name = name
        if dtype is not None:
            self.values = self.astype(dtype).values

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.__dict__.get("index", ()):
            return self[name]
        raise missing(f"Series.{name}")

    def _like(self, values):
        return Series(values, self.index, self.name)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Series(self.values[key], self.index[key], self.name)
        if isinstance(key, (Series, list)) and len(key) == len(self) and all(isinstance(k, bool) for k in key):
            kept = [at for at, wanted in enumerate(key) if wanted]
            return Series([self.values[at] for at in kept], [self.index[at] for at in kept], self.name)
        if isinstance(key, (list, Series)):
            return Series([self[one] for one in key], list(key), self.name)
        try:
            return self.values[self.index.index(key)]
        except ValueError:
            raise KeyError(key) from None

    def __setitem__(self, key, value):
        if key in self.index:
            self.values[self.index.index(key)] = value
        else:
            self.index.append(key)
            self.values.append(value)

    def __contains__(self, key):
        return key in self.index

    def get(self, key, default=None):
        return self[key] if key in self.index else default

    def keys(self):
        return list(self.index)

    def items(self):
        return zip(self.index, self.values)

    @property
    def loc(self):
        return self

    @property
    def iloc(self):
        return Series(self.values, None, self.name)

    @property
    def dtype(self):
        return kind_of(self.values)

    @property
    def empty(self):
        return not self.values

    @property
    def shape(self):
        return (len(self.values),)

    def _with(self, other, act):
        others = other.values if isinstance(other, Series) else other if isinstance(other, list) else [other] * len(self)
        return self._like([NA if is_na(a) or is_na(b) else act(a, b) for a, b in zip(self.values, others)])

    def _compare(self, other, act):
        others = other.values if isinstance(other, Series) else other if isinstance(other, list) else [other] * len(self)
        return self._like([act(a, b) if not (is_na(a) or is_na(b)) else act is operator.ne for a, b in zip(self.values, others)])

    def __invert__(self):
        return self._like([not value for value in self.values])

    def __neg__(self):
        return self._like([-value for value in self.values])

    def isin(self, wanted):
        wanted = list(wanted)
        return self._like([value in wanted for value in self.values])

    def isna(self):
        return self._like([is_na(value) for value in self.values])

    def notna(self):
        return ~self.isna()

    isnull, notnull = isna, notna

    def between(self, low, high):
        return (self >= low) & (self <= high)

    def _known(self):
        return [value for value in self.values if not is_na(value)]

    def sum(self):
        return sum(self._known()) if self.dtype != "object" else "".join(map(str, self._known()))

    def mean(self):
        known = self._known()
        return sum(known) / len(known) if known else NA

    def median(self):
        import statistics

        return statistics.median(self._known()) if self._known() else NA

    def std(self):
        import statistics

        return statistics.stdev(self._known()) if len(self._known()) > 1 else NA

    def min(self):
        return min(self._known(), default=NA)

    def max(self):
        return max(self._known(), default=NA)

    def count(self):
        return len(self._known())

    size = property(__len__)

    def any(self):
        return any(self._known())

    def all(self):
        return all(self._known())

    def unique(self):
        made = []
        for value in self.values:
            if value not in made:
                made.append(value)
        return Values(made)

    def nunique(self):
        return len(Series(self._known()).unique())

    def value_counts(self, normalize=False, ascending=False, **_options):
        counts = {}
        for value in self._known():
            counts[value] = counts.get(value, 0) + 1
        ordered = sorted(counts.items(), key=lambda item: item[1] if ascending else -item[1])
        whole = sum(counts.values()) if normalize else 1
        return Series([count / whole if normalize else count for _, count in ordered], [value for value, _ in ordered], "count")

    def tolist(self):
        return list(self.values)

    to_list = tolist

    def to_dict(self):
        return dict(self.items())

    def apply(self, function, *args, **kwargs):
        return self._like([function(value, *args, **kwargs) for value in self.values])

    def map(self, how):
        return self._like([how.get(value, NA) if isinstance(how, dict) else how(value) for value in self.values])

    def astype(self, kind):
        kind = {"int": int, "int64": int, "float": float, "float64": float, "str": str, "string": str, "bool": bool}.get(kind, kind)
        return self._like([kind(value) for value in self.values] if callable(kind) else self.values)

    def fillna(self, value):
        return self._like([value if is_na(item) else item for item in self.values])

    def dropna(self):
        return self[self.notna()]

    def replace(self, old, new=None):
        changes = old if isinstance(old, dict) else {old: new}
        return self._like([changes.get(value, value) for value in self.values])

    def head(self, n=5):
        return self[:n]

    def tail(self, n=5):
        return self[-n:] if n else self[:0]

    def sort_values(self, ascending=True):
        order = sorted(range(len(self)), key=lambda at: (is_na(self.values[at]), self.values[at]), reverse=not ascending)
        return Series([self.values[at] for at in order], [self.index[at] for at in order], self.name)

    def reset_index(self, drop=False):
        if drop:
            return Series(self.values, None, self.name)
        from pandas.frame import DataFrame

        return DataFrame({"index": self.index, self.name or 0: self.values})

    def copy(self):
        return self._like(list(self.values))

    def round(self, digits=0):
        return self._like([round(value, digits) for value in self.values])

    def abs(self):
        return self._like([abs(value) for value in self.values])

    def cumsum(self):
        import itertools

        return self._like(list(itertools.accumulate(self.values)))

    @property
    def str(self):
        return _Texts(self)

    def to_string(self):
        return "\n".join(f"{key}    {value}" for key, value in self.items())

    __repr__ = __str__ = to_string
    __hash__ = None


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _act = getattr(operator, _name)
    setattr(Series, f"__{_name}__", lambda self, other, act=_act: self._with(other, act))
    setattr(Series, f"__r{_name}__", lambda self, other, act=_act: self._with(other, lambda a, b: act(b, a)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Series, f"__{_name}__", lambda self, other, act=getattr(operator, _name): self._compare(other, act))
for _name in ("and_", "or_", "xor"):
    setattr(Series, f"__{_name.strip('_')}__", lambda self, other, act=getattr(operator, _name): self._with(other, act))


class _Texts:
    """String methods, applied to each value."""

    def __init__(self, series):
        self._series = series

    def _each(self, act, otherwise=NA):
        return self._series._like([act(value) if isinstance(value, str) else otherwise for value in self._series])

    def contains(self, pattern, case=True, na=False, regex=True):
        import re

        found = re.compile(pattern if regex else re.escape(pattern), 0 if case else re.I)
        return self._each(lambda text: found.search(text) is not None, na)

    def replace(self, old, new, regex=False):
        import re

        return self._each(lambda text: re.sub(old, new, text) if regex else text.replace(old, new))

    def len(self):
        return self._each(len)

    def __getitem__(self, key):
        return self._each(lambda text: text[key])

    def __getattr__(self, name):
        if name not in "lower upper strip lstrip rstrip split startswith endswith title capitalize zfill".split():
            raise missing(f"Series.str.{name}")
        return lambda *args: self._each(lambda text: getattr(text, name)(*args))
