"""Convert field values to their annotated types."""

import datetime
import enum
import re
import types
import typing
from urllib.parse import urlsplit

from pydantic.fields import FieldInfo
from pydantic.types import AnyUrl, Limits, SecretStr, ValidationError, _Strict


class Misfit(Exception):
    def __init__(self, msg, loc=(), kind="value_error"):
        super().__init__(msg)
        self.found = [{"loc": tuple(loc), "msg": msg, "type": kind}]


def convert(value, hint):
    """Convert a value to the hint's type; raise Misfit if it does not fit."""
    if hint is typing.Any or isinstance(hint, (str, typing.TypeVar)):
        return value
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(value, args)
    if origin in (typing.Union, types.UnionType):
        return _union(value, args)
    if origin is typing.Literal:
        if value in args:
            return value
        raise Misfit(f"Input should be {' or '.join(map(repr, args))}")
    if origin in (list, set, frozenset, tuple) or hint in (list, set, frozenset, tuple):
        return _several(value, origin or hint, args)
    if origin is dict or hint is dict:
        if not isinstance(value, dict):
            raise Misfit("Input should be a valid dictionary")
        kinds = args or (typing.Any, typing.Any)
        return {convert(k, kinds[0]): _at(v, kinds[1], k) for k, v in value.items()}
    if isinstance(hint, type):
        return _of_class(value, hint)
    return value


def _annotated(value, args):
    if any(isinstance(one, _Strict) for one in args) and not isinstance(value, args[0]):
        raise Misfit(f"Input should be a valid {_WORD.get(args[0], args[0].__name__)}")
    made = convert(value, args[0])
    for one in args[1:]:
        if isinstance(one, (Limits, FieldInfo)):
            check(made, one.limits)
    return made


def _union(value, args):
    if value is None and type(None) in args:
        return None
    for exact in args:
        if isinstance(exact, type) and type(value) is exact:
            return value
    misfits = []
    for one in args:
        if one is type(None):
            continue
        try:
            return convert(value, one)
        except Misfit as error:
            misfits.append(error)
    raise misfits[0]


def _several(value, kind, args):
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        raise Misfit(f"Input should be a valid {kind.__name__}")
    if kind is tuple and args and args[-1] is not Ellipsis:
        return tuple(_at(item, hint, at) for at, (item, hint) in enumerate(zip(value, args)))
    inner = args[0] if args else typing.Any
    return kind(_at(item, inner, at) for at, item in enumerate(value))


def _at(value, hint, place):
    try:
        return convert(value, hint)
    except Misfit as error:
        for one in error.found:
            one["loc"] = (place, *one["loc"])
        raise


_WORD = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TRUE, _FALSE = {"true", "1", "yes", "on", "t", "y"}, {"false", "0", "no", "off", "f", "n"}


def _of_class(value, hint):
    from pydantic.model import BaseModel

    if issubclass(hint, BaseModel):
        if isinstance(value, hint):
            return value
        if not isinstance(value, dict):
            raise Misfit("Input should be a valid dictionary or instance of " + hint.__name__)
        try:
            return hint(**value)
        except ValidationError as error:
            misfit = Misfit(str(error))
            misfit.found = error.errors()
            raise misfit from None
    if hint is bool:
        return _bool(value)
    if hint in (int, float):
        return _number(value, hint)
    if hint is str:
        if isinstance(value, str) and not isinstance(value, enum.Enum):
            return value
        raise Misfit("Input should be a valid string")
    if isinstance(value, hint):
        return value
    if issubclass(hint, enum.Enum):
        return _try(lambda: hint(value), f"Input should be {' or '.join(repr(one.value) for one in hint)}")
    if hint is SecretStr or issubclass(hint, AnyUrl):
        return _text(value, hint)
    if hint in (datetime.datetime, datetime.date, datetime.time):
        return _try(lambda: hint.fromisoformat(value), f"Input should be a valid {hint.__name__}")
    if hint is object or hint is type(None):
        return value
    simple = {"UUID", "Path", "PosixPath", "Decimal", "bytes"}
    if hint.__name__ in simple:
        return _try(lambda: value.encode() if hint is bytes else hint(value), f"Input should be a valid {hint.__name__}")
    raise Misfit(f"Input should be an instance of {hint.__name__}")


def _text(value, hint):
    if not isinstance(value, str):
        raise Misfit("Input should be a valid string")
    if issubclass(hint, AnyUrl):
        parts = urlsplit(value)
        if not parts.scheme or not parts.netloc:
            raise Misfit("Input should be a valid URL")
        return hint(value if parts.path else value + "/")
    return hint(value)


def _try(make, message):
    try:
        return make()
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        raise Misfit(message) from None


def _bool(value):
    word = str(value).lower()
    if isinstance(value, (bool, int, str)) and word in _TRUE | _FALSE:
        return word in _TRUE
    raise Misfit("Input should be a valid boolean, unable to interpret input")


def _number(value, hint):
    if isinstance(value, bool):
        return hint(value)
    if isinstance(value, (int, float)):
        if hint is int and value != int(value):
            raise Misfit("Input should be a valid integer, got a number with a fractional part")
        return hint(value)
    if isinstance(value, str):
        word = _WORD[hint]
        return _try(lambda: hint(value), f"Input should be a valid {word}, unable to parse string as {'an integer' if hint is int else 'a number'}")
    raise Misfit(f"Input should be a valid {_WORD[hint]}")


_TESTS = {
    "gt": (lambda v, n: v > n, "greater than"),
    "ge": (lambda v, n: v >= n, "greater than or equal to"),
    "lt": (lambda v, n: v < n, "less than"),
    "le": (lambda v, n: v <= n, "less than or equal to"),
}


def check(value, limits):
    """Check the limits of a field; raise Misfit if one is violated."""
    for name, (test, words) in _TESTS.items():
        if limits.get(name) is not None and value is not None and not test(value, limits[name]):
            raise Misfit(f"Input should be {words} {limits[name]}")
    least, most = limits.get("min_length"), limits.get("max_length")
    unit = "characters" if isinstance(value, str) else "items"
    if least is not None and len(value) < least:
        raise Misfit(f"{'String' if unit == 'characters' else 'Value'} should have at least {least} {unit}")
    if most is not None and len(value) > most:
        raise Misfit(f"{'String' if unit == 'characters' else 'Value'} should have at most {most} {unit}")
    if limits.get("pattern") and not re.search(limits["pattern"], value):
        raise Misfit(f"String should match pattern '{limits['pattern']}'")
