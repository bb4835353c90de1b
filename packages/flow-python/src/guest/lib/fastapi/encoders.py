import base64
import dataclasses
import datetime
import enum
import inspect


def jsonable_encoder(value, include=None, exclude=None, by_alias=True, exclude_unset=False, exclude_defaults=False, exclude_none=False, custom_encoder=None, sqlalchemy_safe=True):
    """Convert to JSON types: models and dataclasses to dicts, dates to ISO strings, sets to lists."""

    def inner(item):
        return jsonable_encoder(item, exclude_none=exclude_none, custom_encoder=custom_encoder)

    for kind, encoder in (custom_encoder or {}).items():
        if isinstance(value, kind):
            return encoder(value)
    if value is None or isinstance(value, (str, int, float, bool)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, enum.Enum):
        return inner(value.value)
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if (include is None or key in include) and key not in (exclude or ())}
        return {inner(key): inner(item) for key, item in kept.items() if item is not None or not exclude_none}
    if isinstance(value, (list, tuple, set, frozenset)) or inspect.isgenerator(value):
        return [inner(item) for item in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return jsonable_encoder(dataclasses.asdict(value), include, exclude, exclude_none=exclude_none)
    if callable(getattr(value, "model_dump", None)):
        return jsonable_encoder(value.model_dump(), include, exclude, exclude_none=exclude_none)
    if getattr(value, "__dict__", None):
        return jsonable_encoder(vars(value), include, exclude, exclude_none=exclude_none)
    return str(value)
