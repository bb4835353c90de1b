"""Read an author's source: find its class and describe it for the editor."""

import ast
import inspect
import sys
import types
import typing

from _flow import names
from _flow.component import Component
from _flow.schema import _plain
from _flow.trace import FILE

_NAMES = {str: "Text", type(None): "NoneType"}


class Unfit(Exception):
    """Source that defines no valid component, with a message for the author."""


def load(text):
    """Return the class from which no other class of the source derives; the last one if there are several."""
    tree = ast.parse(text, FILE)
    module = types.ModuleType("component")
    module.__file__ = FILE
    sys.modules["component"] = module
    module.__dict__.update(names.defaults())
    exec(compile(tree, FILE, "exec", dont_inherit=True), module.__dict__)
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    classes = [
        value
        for name, value in module.__dict__.items()
        if name in named and isinstance(value, type) and issubclass(value, Component)
    ]
    bases = {base for one in classes for base in one.__mro__[1:]}
    last = [one for one in classes if one not in bases]
    if not last:
        raise Unfit("no class that derives from Component")
    return last[-1]


def describe(cls):
    """Return the attributes, inputs and outputs of a class, from which the host creates a node."""
    cls_outputs = cls.outputs or []
    if is_first_kind(cls):
        inputs, outputs = _first_kind(cls)
    else:
        inputs = [_input(one) for one in cls.inputs or []]
        outputs = [_output(cls, one) for one in cls_outputs]
    both = [one["name"] for one in inputs if one["name"] in {made["name"] for made in outputs}]
    if both:
        raise Unfit(f"the input {both[0]} and the output {both[0]} have one name")
    facts = {
        key: getattr(cls, key)
        for key in ("display_name", "description", "icon", "documentation", "priority", "beta", "legacy", "minimized", "replacement", "idempotent")
    }
    return {
        "type": cls.name or cls.__name__,
        "facts": {**facts, "display_name": facts["display_name"] or cls.name or cls.__name__},
        "field_order": cls.field_order,
        "inputs": inputs,
        "outputs": outputs,
        "refreshes": cls.update_build_config is not Component.update_build_config
        or cls.update_outputs is not Component.update_outputs,
    }


def _input(one):
    return _plain(one.model_dump())


def _output(cls, one):
    if not isinstance(getattr(cls, one.method or "", None), types.FunctionType):
        raise Unfit(f"Output {one.name}: {cls.__name__} has no method {one.method}")
    made = {key: value for key, value in one.model_dump().items() if value is not None}
    if made.get("types") is None:
        made["types"] = returned(getattr(cls, one.method))
    return made


def returned(method):
    """Return the type names in a method's return annotation."""
    try:
        hints = typing.get_type_hints(method)
    except Exception:
        hints = getattr(method, "__annotations__", {})
    if "return" not in hints:
        return []
    return list(dict.fromkeys(_type_names(hints["return"])))


def _type_names(hint):
    if isinstance(hint, str):
        return [hint]
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        parts = typing.get_args(hint)
        named = [name for part in parts if part is not type(None) for name in _type_names(part)]
        return [*named, "NoneType"] if type(None) in parts else named
    if origin in (list, tuple, set, frozenset) or (origin and origin.__module__ == "collections.abc"):
        parts = [part for part in typing.get_args(hint) if part is not Ellipsis]
        return [name for part in parts for name in _type_names(part)]
    if hint is type(None):
        return []
    if origin is not None:
        return [origin.__name__]
    return [_NAMES.get(hint) or getattr(hint, "__name__", str(hint))]


def is_first_kind(cls):
    """Tell whether the class has its inputs in the arguments of `build` and in `build_config`."""
    return not cls.inputs and not cls.outputs and isinstance(getattr(cls, "build", None), types.FunctionType)


_KINDS = {str: "StrInput", int: "IntInput", float: "FloatInput", bool: "BoolInput", dict: "DictInput"}


def _first_kind(cls):
    """Read inputs from the arguments of `build`, completed by `build_config`."""
    made = cls()
    config = (made.build_config() if hasattr(made, "build_config") else None) or {}
    hints = _hints(cls.build)
    inputs = []
    for name, parameter in list(inspect.signature(cls.build).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        hint = hints.get(name, str)
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            known = [one for one in typing.get_args(hint) if one is not type(None)]
            hint = known[0] if len(known) == 1 else hint
        kind = _KINDS.get(hint, "HandleInput")
        made = {"name": name, "_input_type": kind, "required": parameter.default is parameter.empty}
        if kind == "HandleInput":
            made["input_types"] = [one for one in _type_names(hint) if one != "NoneType"]
        if parameter.default is not parameter.empty and parameter.default is not None:
            made["value"] = parameter.default
        settings = config.get(name)
        settings = _plain(settings if isinstance(settings, dict) else getattr(settings, "given", {}))
        if kind == "StrInput":
            made["_input_type"] = _text_input(settings)
        inputs.append({**made, **settings})
    types_ = returned(cls.build)
    outputs = [{"name": one, "display_name": one, "method": "build", "types": [one]} for one in types_[:1]]
    return inputs, outputs


def _text_input(settings):
    if isinstance(settings.get("options"), list):
        return "DropdownInput"
    if settings.get("password"):
        return "SecretStrInput"
    return "MultilineInput" if settings.get("multiline") else "MessageTextInput" if settings.get("input_types") else "StrInput"


def _hints(function):
    try:
        return typing.get_type_hints(function)
    except Exception:
        return {}
