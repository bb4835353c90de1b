"""Number types of arrays."""


class float64(float):
    """A number with the methods of an array's element."""

    def item(self):
        return float(self)

    tolist = item

    @property
    def dtype(self):
        return DType("float64")

    def astype(self, kind):
        return DType(kind).convert(self)

    def round(self, digits=0):
        return float64(round(float(self), digits))


class int64(int):
    """A whole number with the methods of an array's element."""

    def item(self):
        return int(self)

    tolist = item

    @property
    def dtype(self):
        return DType("int64")

    def astype(self, kind):
        return DType(kind).convert(self)


class float32(float64):
    pass


class int32(int64):
    pass


_NAMES = {float: "float64", int: "int64", bool: "bool", str: "str", object: "object", float64: "float64", float32: "float32",
          int64: "int64", int32: "int32"}
_SAME = {"float": "float64", "int": "int64", "double": "float64", "uint8": "int64", "float16": "float32", "bool_": "bool"}


class DType:
    """The type of the elements of an array."""

    def __init__(self, given):
        name = given.name if isinstance(given, DType) else _NAMES.get(given, given)
        self.name = _SAME.get(name, name)
        if self.name not in ("float64", "float32", "int64", "int32", "bool", "str", "object"):
            raise TypeError(f"data type {given!r} not understood")

    @property
    def kind(self):
        return {"f": "f", "i": "i", "b": "b", "s": "U", "o": "O"}[self.name[0]]

    def convert(self, value):
        kind = {"f": float, "i": int, "b": bool, "s": str}.get(self.name[0])
        return kind(value) if kind else value

    def __eq__(self, other):
        try:
            return self.name == DType(other).name
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


def kind_of(values):
    kinds = set(map(type, values))
    if kinds <= {bool}:
        return DType("bool") if kinds else DType("float64")
    if all(issubclass(one, (int, float)) for one in kinds):
        return DType("int64") if all(issubclass(one, int) for one in kinds) else DType("float64")
    return DType("str") if kinds == {str} else DType("object")


def scalar(value):
    """Wrap the result of a reduction."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return int64(value) if isinstance(value, int) else float64(value)
