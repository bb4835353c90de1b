"""Describe tools for a model: name, description and argument schema."""

import inspect
import types
import typing

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def spec_of(tool):
    """Accept a host tool, a langchain_core tool, a function, a model class, or an OpenAI API dict."""
    if isinstance(tool, dict):
        inner = tool.get("function", tool)
        return _spec(inner.get("name"), inner.get("description"), inner.get("parameters"))
    if isinstance(tool, type):
        return _spec(tool.__name__, inspect.getdoc(tool), _schema_of_class(tool))
    name = getattr(tool, "name", None)
    if name is None and callable(tool):
        return _spec(tool.__name__, inspect.getdoc(tool), schema_of_function(tool))
    schema = getattr(tool, "args_schema", None)
    if isinstance(schema, type):
        schema = _schema_of_class(schema)
    if schema is None:
        schema = schema_of_function(getattr(tool, "func", None) or getattr(tool, "coroutine", None))
    return _spec(name, getattr(tool, "description", None), schema)


def schema_of_function(function):
    """Build the schema of a function's arguments from its annotations."""
    properties, required = {}, []
    if function is not None:
        hints = typing.get_type_hints(function)
        for name, parameter in inspect.signature(function).parameters.items():
            if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            properties[name] = _type(hints.get(name))
            if parameter.default is parameter.empty:
                required.append(name)
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _spec(name, description, parameters):
    if not isinstance(name, str):
        raise TypeError("A tool needs a name")
    return {"name": name, "description": description or "", "parameters": parameters or schema_of_function(None)}


def _schema_of_class(cls):
    make = getattr(cls, "model_json_schema", None) or getattr(cls, "schema", None)
    return make() if make is not None else schema_of_function(cls)


def _type(hint):
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _type(args[0])
    if origin in (typing.Union, types.UnionType):
        known = [_type(one) for one in args if one is not type(None)]
        return known[0] if len(known) == 1 else {"anyOf": known}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (list, set, tuple):
        return {"type": "array", "items": _type(args[0]) if args else {}}
    kind = _KINDS.get(origin or hint)
    return {} if kind is None else {"type": kind}
