"""Models: classes whose annotated attributes are validated fields."""

import copy
import json
import typing

from pydantic.convert import Misfit, check, convert
from pydantic.fields import FieldInfo, Unset
from pydantic.rules import Rule
from pydantic.types import SecretStr, ValidationError


def ConfigDict(**options):
    return options


class _Meta(type):
    def __new__(mcs, name, bases, space, **_options):
        rules = {key: value for key, value in space.items() if isinstance(value, Rule)}
        cls = super().__new__(mcs, name, bases, space)
        cls.__rules__ = {key: rule for base in reversed(cls.__mro__[1:]) for key, rule in getattr(base, "__rules__", {}).items()}
        cls.__rules__.update(rules)
        cls.__fields_cache__ = None
        return cls

    @property
    def model_fields(cls):
        if cls.__fields_cache__ is None:
            cls.__fields_cache__ = _fields_of(cls)
        return cls.__fields_cache__

    @property
    def __fields__(cls):
        return cls.model_fields


def _fields_of(cls):
    found = {}
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError:
        hints = {k: v for base in reversed(cls.__mro__) for k, v in base.__dict__.get("__annotations__", {}).items()}
    for name, hint in hints.items():
        if name.startswith("_") or typing.get_origin(hint) is typing.ClassVar or name == "model_config":
            continue
        given = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), Unset)
        info = copy.copy(given) if isinstance(given, FieldInfo) else FieldInfo(given)
        for extra in typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ():
            if isinstance(extra, FieldInfo):
                info.limits = {**extra.limits, **info.limits}
                info.description = info.description or extra.description
                info.alias = info.alias or extra.alias
                if info.is_required():
                    info.default, info.default_factory = extra.default, extra.default_factory
        info.annotation = hint
        found[name] = info
    return found


class BaseModel(metaclass=_Meta):
    model_config = {}

    def __init__(self, **given):
        cls = type(self)
        for rule in cls.__rules__.values():
            if rule.of_model and rule.mode == "before":
                given = _ruled(cls.__name__, (), lambda: rule.function(cls, given))
        values, errors, rest = {}, [], dict(given)
        for name, info in cls.model_fields.items():
            key = info.alias if info.alias in rest else name
            try:
                if key in rest:
                    values[name] = self._value(name, info, rest.pop(key))
                elif info.is_required():
                    raise Misfit("Field required", kind="missing")
                else:
                    values[name] = info.get_default()
            except Misfit as error:
                errors += [{**one, "loc": (key, *one["loc"]), "input": given.get(key)} for one in error.found]
        extra = self.model_config.get("extra") if isinstance(self.model_config, dict) else None
        if extra == "forbid":
            errors += [{"loc": (key,), "msg": "Extra inputs are not permitted", "type": "extra_forbidden"} for key in rest]
        if errors:
            raise ValidationError(cls.__name__, errors)
        self.__dict__.update(values, **(rest if extra == "allow" else {}))
        object.__setattr__(self, "_set", frozenset(given))
        for rule in cls.__rules__.values():
            if rule.of_model and rule.mode == "after":
                _ruled(cls.__name__, (), lambda: rule.function(self))
        self.model_post_init(None)

    def _value(self, name, info, value):
        rules = [rule for rule in type(self).__rules__.values() if name in rule.names or "*" in rule.names]
        for rule in rules:
            if rule.mode == "before":
                value = _checked(lambda: rule.function(type(self), value))
        value = convert(value, info.annotation)
        check(value, info.limits)
        for rule in rules:
            if rule.mode != "before":
                value = _checked(lambda: rule.function(type(self), value))
        return value

    def model_post_init(self, _context):
        pass

    @property
    def model_fields_set(self):
        return set(self.__dict__.get("_set", ()))

    def __setattr__(self, name, value):
        if isinstance(self.model_config, dict) and self.model_config.get("frozen"):
            raise ValidationError(type(self).__name__, [{"loc": (name,), "msg": "Instance is frozen", "type": "frozen_instance"}])
        object.__setattr__(self, name, value)

    def _fields(self):
        return {key: value for key, value in self.__dict__.items() if key != "_set"}

    def model_dump(self, *, mode="python", include=None, exclude=None, by_alias=False, exclude_none=False, exclude_unset=False, **_options):
        infos = type(self).model_fields
        made = {}
        for key, value in self._fields().items():
            info = infos.get(key)
            skip = (include is not None and key not in include) or (exclude and key in exclude) or (info and info.exclude)
            if skip or (exclude_none and value is None) or (exclude_unset and key not in self.model_fields_set):
                continue
            name = info.alias if by_alias and info and info.alias else key
            made[name] = _dumped(value, {"mode": mode, "exclude_none": exclude_none, "by_alias": by_alias})
        return made

    def model_dump_json(self, *, indent=None, **options):
        separators = None if indent else (",", ":")
        return json.dumps(self.model_dump(mode="json", **options), indent=indent, ensure_ascii=False, separators=separators, default=str)

    dict, json = model_dump, model_dump_json

    @classmethod
    def model_validate(cls, value, **_options):
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            value = vars(value) if hasattr(value, "__dict__") else value
        if not isinstance(value, dict):
            raise ValidationError(cls.__name__, [{"loc": (), "msg": "Input should be a valid dictionary", "type": "model_type"}])
        return cls(**value)

    parse_obj = model_validate

    @classmethod
    def model_validate_json(cls, text, **_options):
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ValidationError(cls.__name__, [{"loc": (), "msg": f"Invalid JSON: {error}", "type": "json_invalid"}]) from None
        return cls.model_validate(value)

    parse_raw = model_validate_json

    @classmethod
    def model_construct(cls, **values):
        made = object.__new__(cls)
        made.__dict__.update(values, _set=frozenset(values))
        return made

    @classmethod
    def model_rebuild(cls, **_options):
        cls.__fields_cache__ = None

    @classmethod
    def model_json_schema(cls, **_options):
        from pydantic.schema import schema_of

        return schema_of(cls)

    schema = model_json_schema

    def model_copy(self, *, update=None, deep=False):
        made = copy.deepcopy(self) if deep else copy.copy(self)
        made.__dict__.update(update or {})
        return made

    copy = model_copy

    def __eq__(self, other):
        return type(self) is type(other) and self._fields() == other._fields()

    __hash__ = None

    def __iter__(self):
        return iter(self._fields().items())

    def _shown(self):
        return [f"{key}={value!r}" for key, value in self._fields().items()]

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def __str__(self):
        return " ".join(self._shown())


def _checked(act):
    try:
        return act()
    except (ValueError, AssertionError) as error:
        kind = "Assertion failed" if isinstance(error, AssertionError) else "Value error"
        raise Misfit(f"{kind}, {error}") from None


def _ruled(title, loc, act):
    try:
        return _checked(act)
    except Misfit as error:
        raise ValidationError(title, error.found) from None


def _dumped(value, options):
    if isinstance(value, BaseModel):
        return value.model_dump(**options)
    if isinstance(value, dict):
        return {key: _dumped(item, options) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        made = [_dumped(item, options) for item in value]
        return made if options["mode"] == "json" else type(value)(made)
    if options["mode"] == "json":
        if isinstance(value, SecretStr):
            return str(value)
        if hasattr(value, "isoformat"):
            return value.isoformat()
        if hasattr(value, "value") and hasattr(type(value), "__members__"):
            return value.value
    return value


def create_model(name, __base__=None, **fields):
    space = {"__annotations__": {}}
    for key, given in fields.items():
        hint, default = given if isinstance(given, tuple) else (type(given), given)
        space["__annotations__"][key] = hint
        if default is not ...:
            space[key] = default
    return _Meta(name, (__base__ or BaseModel,), space)
