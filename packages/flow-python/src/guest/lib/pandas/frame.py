"""A light table."""

import json

from pandas.group import GroupBy
from pandas.series import NA, Series, Values, is_na, kind_of, missing
from pandas.text import markdown, plain_text


class DataFrame:
    """Columns of equal length, in order."""

    def __init__(self, data=None, columns=None, index=None, **_options):
        table, labels = _columns_of(data, columns)
        if columns is not None:
            length = max((len(values) for values in table.values()), default=0)
            table = {name: table.get(name, [NA] * length) for name in columns}
        length = max((len(values) for values in table.values()), default=0)
        if any(len(values) != length for values in table.values()):
            raise ValueError("All arrays must be of the same length")
        self.__dict__["_table"] = table
        self.__dict__["_labels"] = list(index) if index is not None else labels or list(range(length))

    def _of(self, table, labels=None):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__["_table"] = table
        made.__dict__["_labels"] = list(self._labels if labels is None else labels)
        return made

    def _pick(self, rows, relabel=False):
        labels = range(len(rows)) if relabel else [self._labels[at] for at in rows]
        return self._of({name: [values[at] for at in rows] for name, values in self._table.items()}, labels)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.__dict__.get("_table", {}):
            return self[name]
        raise missing(f"DataFrame.{name}")

    def __setattr__(self, name, value):
        if name == "columns":
            self.__dict__["_table"] = dict(zip(value, self._table.values(), strict=True))
        elif name == "index":
            self.__dict__["_labels"] = list(value)
        elif name in self._table:
            self[name] = value
        else:
            self.__dict__[name] = value

    @property
    def columns(self):
        return _Labels(self._table)

    @property
    def index(self):
        return _Labels(self._labels)

    @property
    def shape(self):
        return (len(self), len(self._table))

    @property
    def empty(self):
        return 0 in self.shape

    @property
    def dtypes(self):
        return Series([kind_of(values) for values in self._table.values()], list(self._table))

    @property
    def values(self):
        return Values(Values(row) for row in zip(*self._table.values()))

    @property
    def size(self):
        return len(self) * len(self._table)

    def __len__(self):
        return len(self._labels)

    def __iter__(self):
        return iter(list(self._table))

    def __contains__(self, name):
        return name in self._table

    def __bool__(self):
        return not self.empty

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._pick(range(len(self))[key])
        if isinstance(key, Series) or (isinstance(key, list) and key and all(isinstance(one, bool) for one in key)):
            return self._pick([at for at, wanted in enumerate(key) if wanted is True])
        if isinstance(key, (list, _Labels)):
            return self._of({name: list(self._column(name)) for name in key})
        return Series(self._column(key), self._labels, key)

    def _column(self, name):
        if name not in self._table:
            raise KeyError(name)
        return self._table[name]

    def __setitem__(self, key, value):
        if isinstance(value, Series):
            value = value.values
        values = list(value) if isinstance(value, (list, tuple, range)) else [value] * len(self)
        if not self._table:
            self.__dict__["_labels"] = list(range(len(values)))
        if len(values) != len(self):
            raise ValueError(f"Length of values ({len(values)}) does not match length of index ({len(self)})")
        self._table[key] = values

    def __delitem__(self, key):
        del self._table[key]

    def get(self, key, default=None):
        return self[key] if key in self._table else default

    def pop(self, key):
        return Series(self._table.pop(key), self._labels, key)

    def keys(self):
        return self.columns

    def items(self):
        return ((name, self[name]) for name in self._table)

    def _row(self, at):
        return Series([values[at] for values in self._table.values()], list(self._table), self._labels[at])

    @property
    def loc(self):
        return _Place(self, lambda label: self._labels.index(label))

    @property
    def iloc(self):
        return _Place(self, lambda at: range(len(self))[at], list(self._table))

    at, iat = loc, iloc

    def head(self, n=5):
        return self[:n]

    def tail(self, n=5):
        return self[-n:] if n else self[:0]

    def iterrows(self):
        return ((self._labels[at], self._row(at)) for at in range(len(self)))

    def itertuples(self, index=True, name="Pandas"):
        from collections import namedtuple

        kind = namedtuple(name or "Row", [*(["Index"] if index else []), *self._table], rename=True)
        return (kind(*([self._labels[at]] if index else []), *self._row(at).values) for at in range(len(self)))

    def to_dict(self, orient="dict"):
        if orient == "records":
            return [dict(zip(self._table, row)) for row in zip(*self._table.values())]
        if orient == "list":
            return {name: list(values) for name, values in self._table.items()}
        if orient == "dict":
            return {name: dict(zip(self._labels, values)) for name, values in self._table.items()}
        raise missing(f"to_dict(orient={orient!r})")

    def to_json(self, path=None, orient="columns", indent=None, **_options):
        data = self.to_dict("records") if orient == "records" else self.to_dict()
        clean = json.loads(json.dumps(data, default=str), parse_constant=lambda _: None)
        text = json.dumps(clean, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))
        return text if path is None else open(path, "w").write(text) and None

    def to_csv(self, path=None, index=True, sep=",", header=True, **_options):
        import csv
        import io

        out = io.StringIO()
        writer = csv.writer(out, delimiter=sep, lineterminator="\n")
        if header:
            writer.writerow([*([""] if index else []), *self._table])
        for at, row in enumerate(zip(*self._table.values())):
            writer.writerow([*([self._labels[at]] if index else []), *("" if is_na(value) else value for value in row)])
        text = out.getvalue()
        return text if path is None else open(path, "w").write(text) and None

    def to_markdown(self, index=True, **_options):
        return markdown(self, index)

    def to_string(self, index=True, **_options):
        return plain_text(self, index)

    def __repr__(self):
        return self.to_string()

    __str__ = __repr__
    __hash__ = None

    def copy(self, deep=True):
        return self._of({name: list(values) for name, values in self._table.items()})

    def sort_values(self, by, ascending=True, inplace=False, **_options):
        names = by if isinstance(by, list) else [by]
        orders = ascending if isinstance(ascending, list) else [ascending] * len(names)
        rows = list(range(len(self)))
        for name, order in reversed(list(zip(names, orders))):
            known = [at for at in rows if not is_na(self._column(name)[at])]
            gaps = [at for at in rows if is_na(self._column(name)[at])]
            rows = sorted(known, key=lambda at: self._table[name][at], reverse=not order) + gaps
        return self._done(self._pick(rows), inplace)

    def reset_index(self, drop=False, inplace=False):
        table = dict(self._table) if drop else {"index": list(self._labels), **self._table}
        return self._done(self._of(table, range(len(self))), inplace)

    def set_index(self, name, inplace=False):
        table = {key: values for key, values in self._table.items() if key != name}
        return self._done(self._of(table, self._column(name)), inplace)

    def rename(self, columns=None, inplace=False, **_options):
        how = columns if callable(columns) else lambda name: (columns or {}).get(name, name)
        return self._done(self._of({how(name): values for name, values in self._table.items()}), inplace)

    def drop(self, labels=None, axis=0, columns=None, index=None, inplace=False, errors="raise"):
        if axis in (1, "columns"):
            columns, labels = labels, None
        gone = columns if isinstance(columns, (list, tuple, _Labels)) else [] if columns is None else [columns]
        if errors == "raise" and (unknown := [name for name in gone if name not in self._table]):
            raise KeyError(f"{unknown} not found in axis")
        rows = index if index is not None else labels
        rows = rows if isinstance(rows, (list, tuple, _Labels)) else [] if rows is None else [rows]
        made = self._pick([at for at, label in enumerate(self._labels) if label not in rows])
        return self._done(made._of({k: v for k, v in made._table.items() if k not in gone}), inplace)

    def drop_duplicates(self, subset=None, keep="first", inplace=False, **_options):
        names = [subset] if isinstance(subset, str) else subset or list(self._table)
        seen, rows = set(), []
        order = range(len(self)) if keep == "first" else reversed(range(len(self)))
        for at in order:
            key = repr([self._table[name][at] for name in names])
            if key not in seen:
                seen.add(key)
                rows.append(at)
        return self._done(self._pick(sorted(rows)), inplace)

    def dropna(self, subset=None, how="any", inplace=False, **_options):
        names = [subset] if isinstance(subset, str) else subset or list(self._table)
        test = any if how == "any" else all
        rows = [at for at in range(len(self)) if not test(is_na(self._table[name][at]) for name in names)]
        return self._done(self._pick(rows), inplace)

    def fillna(self, value, inplace=False, **_options):
        filled = {
            name: [(value.get(name, item) if isinstance(value, dict) else value) if is_na(item) else item for item in values]
            for name, values in self._table.items()
        }
        return self._done(self._of(filled), inplace)

    def _done(self, made, inplace):
        if not inplace:
            return made
        self.__dict__.update(_table=made._table, _labels=made._labels)
        return None

    def astype(self, kinds):
        wanted = kinds if isinstance(kinds, dict) else dict.fromkeys(self._table, kinds)
        table = dict(self._table)
        for name, kind in wanted.items():
            table[name] = self[name].astype(kind).values
        return self._of(table)

    def apply(self, function, axis=0, **kwargs):
        if axis in (1, "columns"):
            made = [function(self._row(at), **kwargs) for at in range(len(self))]
            if made and all(isinstance(row, Series) for row in made):
                return self._of(_columns_of([row.to_dict() for row in made], None)[0])
            return Series(made, self._labels)
        made = {name: function(self[name], **kwargs) for name in self._table}
        if any(isinstance(value, Series) for value in made.values()):
            return self._of({name: value.values for name, value in made.items()})
        return Series(made)

    def map(self, function):
        return self._of({name: [function(value) for value in values] for name, values in self._table.items()})

    applymap = map

    def assign(self, **columns):
        made = self.copy()
        for name, value in columns.items():
            made[name] = value(made) if callable(value) else value
        return made

    def isna(self):
        return self.map(is_na)

    isnull = isna

    def notna(self):
        return self.map(lambda value: not is_na(value))

    def groupby(self, by, as_index=True, sort=True, **_options):
        return GroupBy(self, [by] if isinstance(by, str) else list(by), as_index, sort)

    def merge(self, right, how="inner", on=None, left_on=None, right_on=None, suffixes=("_x", "_y")):
        return merge(self, right, how, on, left_on, right_on, suffixes)

    def __eq__(self, other):
        return self.map(lambda value: value == other)


for _name in ("sum", "mean", "min", "max", "count", "median", "nunique"):
    setattr(DataFrame, _name, lambda self, numeric_only=False, act=_name: Series(
        {name: getattr(self[name], act)() for name in self._table if not numeric_only or self[name].dtype != "object"}))


class _Labels(Values):
    """Column names or row labels."""

    def get_loc(self, name):
        return self.index(name)


class _Place:
    """Access to rows and cells by label or position."""

    def __init__(self, frame, find, names=None):
        self._frame, self._find, self._names = frame, find, names

    def _rows(self, key):
        frame = self._frame
        if isinstance(key, slice):
            if self._names is not None or key == slice(None):
                return list(range(len(frame))[key])
            start = 0 if key.start is None else self._find(key.start)
            stop = len(frame) if key.stop is None else self._find(key.stop) + 1
            return list(range(start, stop))
        if isinstance(key, Series) or (isinstance(key, list) and key and all(isinstance(one, bool) for one in key)):
            return [at for at, wanted in enumerate(key) if wanted is True]
        if isinstance(key, list):
            return [self._find(one) for one in key]
        return self._find(key)

    def _name(self, key):
        return self._names[key] if self._names is not None else key

    def __getitem__(self, key):
        row, column = key if isinstance(key, tuple) else (key, None)
        try:
            rows = self._rows(row)
        except ValueError:
            raise KeyError(row) from None
        if isinstance(rows, int):
            return self._frame._row(rows) if column is None else self._cell(rows, column)
        made = self._frame._pick(rows)
        return made if column is None or column == slice(None) else made[self._name(column)]

    def _cell(self, row, column):
        if isinstance(column, list):
            return Series({name: self._frame._column(name)[row] for name in map(self._name, column)})
        return self._frame._column(self._name(column))[row]

    def __setitem__(self, key, value):
        row, column = key if isinstance(key, tuple) else (key, None)
        frame = self._frame
        if column is None and not isinstance(row, (slice, list, Series)) and row not in frame._labels:
            values = list(value.values()) if isinstance(value, dict) else list(value)
            for name, item in zip(frame._table, values):
                frame._table[name].append(item)
            frame._labels.append(row)
            return
        rows = self._rows(row)
        rows = [rows] if isinstance(rows, int) else rows
        names = list(frame._table) if column is None else [self._name(column)]
        for name in names:
            frame._table.setdefault(name, [NA] * len(frame))
            for at, one in enumerate(rows):
                frame._table[name][one] = value[at] if isinstance(value, (list, Series)) else value


def _columns_of(data, columns):
    """Return columns by name, and the row labels if the data has them."""
    if data is None:
        return {}, None
    if isinstance(data, DataFrame):
        return {name: list(values) for name, values in data._table.items()}, data._labels
    if isinstance(data, Series):
        return {data.name if data.name is not None else 0: list(data.values)}, data.index
    if isinstance(data, dict):
        return _of_dict(data)
    rows = [row.to_dict() if isinstance(row, Series) else getattr(row, "data", row) for row in data]
    if rows and all(isinstance(row, dict) for row in rows):
        names = list(dict.fromkeys(key for row in rows for key in row))
        return {name: [row.get(name, NA) for row in rows] for name in names}, None
    rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in rows]
    width = max((len(row) for row in rows), default=0)
    names = list(columns) if columns is not None else list(range(width))
    return {name: [row[at] if at < len(row) else NA for row in rows] for at, name in enumerate(names)}, None


def _of_dict(data):
    listed = {key: list(value) for key, value in data.items() if isinstance(value, (list, tuple, Series, range))}
    labels = next((value.index for value in data.values() if isinstance(value, Series)), None)
    if data and not listed and all(isinstance(value, dict) for value in data.values()):
        labels = list(dict.fromkeys(key for value in data.values() for key in value))
        return {name: [value.get(label, NA) for label in labels] for name, value in data.items()}, labels
    if data and not listed:
        raise ValueError("If using all scalar values, you must pass an index")
    length = max((len(value) for value in listed.values()), default=0)
    return {key: listed.get(key, [value] * length) for key, value in data.items()}, labels


def concat(frames, ignore_index=False, axis=0, **_options):
    frames = [frame for frame in frames if frame is not None]
    if axis in (1, "columns"):
        made = frames[0].copy()
        for frame in frames[1:]:
            for name, values in frame.items():
                made[name] = values
        return made
    if all(isinstance(frame, Series) for frame in frames):
        return Series([value for frame in frames for value in frame], None if ignore_index else [k for f in frames for k in f.index])
    rows = [row for frame in frames for row in frame.to_dict("records")]
    names = list(dict.fromkeys(name for frame in frames for name in frame.columns))
    labels = None if ignore_index else [label for frame in frames for label in frame.index]
    return DataFrame(rows, columns=names, index=labels)


def merge(left, right, how="inner", on=None, left_on=None, right_on=None, suffixes=("_x", "_y")):
    if how not in ("inner", "left"):
        raise missing(f"merge(how={how!r})")
    shared = [name for name in left.columns if name in right.columns]
    mine = left_on or on or shared
    theirs = right_on or on or shared
    mine, theirs = ([mine] if isinstance(mine, str) else list(mine)), ([theirs] if isinstance(theirs, str) else list(theirs))
    both = [name for name in shared if not (name in mine and name in theirs)]
    rest = [name for name in right.columns if not (name in theirs and name in mine)]
    found = {}
    for row in right.to_dict("records"):
        found.setdefault(repr([row[name] for name in theirs]), []).append(row)
    rows = []
    for row in left.to_dict("records"):
        matches = found.get(repr([row[name] for name in mine]), [{}] if how == "left" else [])
        start = {(name + suffixes[0] if name in both else name): value for name, value in row.items()}
        for match in matches:
            rows.append({**start, **{(name + suffixes[1] if name in both else name): match.get(name, NA) for name in rest}})
    names = [name + suffixes[0] if name in both else name for name in left.columns]
    return DataFrame(rows, columns=[*names, *(name + suffixes[1] if name in both else name for name in rest)])
