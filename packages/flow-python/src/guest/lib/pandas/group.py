"""Rows of a light table, grouped by column values."""

from pandas.series import Series, missing


class GroupBy:
    """Groups of rows with equal values in some columns."""

    def __init__(self, frame, names, as_index, sort, chosen=None):
        self._frame, self._names, self._as_index, self._sort, self._chosen = frame, names, as_index, sort, chosen

    def _groups(self):
        groups = {}
        for at in range(len(self._frame)):
            key = tuple(self._frame[name].values[at] for name in self._names)
            groups.setdefault(key, []).append(at)
        return dict(sorted(groups.items())) if self._sort else groups

    def __iter__(self):
        for key, rows in self._groups().items():
            yield (key if len(key) > 1 else key[0]), self._frame._pick(rows)

    def __getitem__(self, chosen):
        return GroupBy(self._frame, self._names, self._as_index, self._sort, chosen)

    def agg(self, how, **named):
        if named:
            how = {name: (column, act) for name, (column, act) in named.items()}
        elif isinstance(how, dict):
            how = {name: (name, act) for name, act in how.items()}
        else:
            columns = self._columns()
            how = {name: (name, how) for name in columns}
        return self._table(how)

    aggregate = agg

    def _columns(self):
        if self._chosen is not None:
            return [self._chosen] if isinstance(self._chosen, str) else list(self._chosen)
        return [name for name in self._frame.columns if name not in self._names]

    def _table(self, how):
        from pandas.frame import DataFrame

        groups = self._groups()
        made = {}
        for name, (column, act) in how.items():
            parts = [self._frame._pick(rows)[column] for rows in groups.values()]
            made[name] = [act(part) if callable(act) else getattr(part, act)() for part in parts]
        keys = list(groups)
        if not self._as_index:
            front = {name: [key[at] for key in keys] for at, name in enumerate(self._names)}
            return DataFrame({**front, **made})
        labels = [key if len(key) > 1 else key[0] for key in keys]
        if isinstance(self._chosen, str) and len(made) == 1:
            return _Grouped(made[self._chosen], labels, self._chosen, self._names)
        frame = DataFrame(made, index=labels)
        return frame._of({**frame._table}) if made else frame

    def size(self):
        groups = self._groups()
        labels = [key if len(key) > 1 else key[0] for key in groups]
        return _Grouped([len(rows) for rows in groups.values()], labels, None, self._names)

    def __getattr__(self, name):
        if name not in ("sum", "mean", "count", "min", "max", "median", "std", "nunique"):
            if not name.startswith("_") and name in self._frame.columns:
                return self[name]
            raise missing(f"groupby.{name}")
        return lambda **_options: self.agg(name)


class _Grouped(Series):
    """One value per group."""

    def __init__(self, values, index, name, by):
        super().__init__(values, index, name)
        self.by = by

    def reset_index(self, name=None, drop=False):
        from pandas.frame import DataFrame

        keys = [label if isinstance(label, tuple) else (label,) for label in self.index]
        front = {column: [key[at] for key in keys] for at, column in enumerate(self.by)}
        return DataFrame({**front, name or self.name or 0: self.values})
