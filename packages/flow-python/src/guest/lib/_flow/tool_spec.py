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
        schema = _schema_of_tool(tool)
    return _spec(name, getattr(tool, "description", None), schema)


def _schema_of_tool(tool):
    from _flow.chain.tools import BaseTool, StructuredTool, Tool

    if isinstance(tool, Tool):
        text = {"type": "object", "properties": {"__arg1": {"type": "string"}}, "required": ["__arg1"]}
        return text
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    if function is None and isinstance(tool, BaseTool) and not isinstance(tool, StructuredTool):
        function = tool._run if type(tool)._run is not BaseTool._run else tool._arun
    return schema_of_function(function)


def schema_of_function(function):
    """Build the schema of a function's arguments from its annotations."""
    properties, required = {}, []
    if function is not None:
        hints = typing.get_type_hints(function, include_extras=True)
        for name, parameter in inspect.signature(function).parameters.items():
            if name in ("self", "run_manager", "callbacks", "config") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            properties[name] = _type(hints.get(name))
            if isinstance(parameter.default, (str, int, float, bool)):
                properties[name]["default"] = parameter.default
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
        texts = [one if isinstance(one, str) else getattr(one, "description", None) for one in args[1:]]
        return {**_type(args[0]), **{"description": one for one in texts[:1] if one}}
    if origin in (typing.Union, types.UnionType):
        known = [_type(one) for one in args if one is not type(None)]
        return known[0] if len(known) == 1 else {"anyOf": known}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if isinstance(hint, type) and hasattr(hint, "__members__"):
        return {"enum": [one.value for one in hint]}
    if origin in (list, set, tuple):
        return {"type": "array", "items": _type(args[0]) if args else {}}
    kind = _KINDS.get(origin or hint)
    return {} if kind is None else {"type": kind}
