"""The orjson functions, implemented with the standard library."""

import json as _json

JSONDecodeError = _json.JSONDecodeError
JSONEncodeError = TypeError
OPT_INDENT_2, OPT_SORT_KEYS, OPT_NON_STR_KEYS, OPT_APPEND_NEWLINE, OPT_NAIVE_UTC, OPT_SERIALIZE_NUMPY = 1, 32, 4, 1024, 2, 16


def _other(value, default):
    for name in ("isoformat", "hex"):
        if callable(getattr(value, name, None)) and not isinstance(value, (bytes, float)):
            return str(value) if name == "hex" else value.isoformat()
    if hasattr(value, "__dataclass_fields__"):
        return {key: getattr(value, key) for key in value.__dataclass_fields__}
    if default is None:
        raise TypeError(f"Type is not JSON serializable: {type(value).__name__}")
    return default(value)


def dumps(value, default=None, option=0):
    option = option or 0
    indent = 2 if option & OPT_INDENT_2 else None
    text = _json.dumps(
        value,
        default=lambda one: _other(one, default),
        indent=indent,
        ensure_ascii=False,
        sort_keys=bool(option & OPT_SORT_KEYS),
        separators=(",", ": ") if indent else (",", ":"),
    )
    return (text + ("\n" if option & OPT_APPEND_NEWLINE else "")).encode()


def loads(text):
    return _json.loads(bytes(text) if isinstance(text, memoryview) else text)
