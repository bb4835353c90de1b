"""JSON Schema of a model."""

import types
import typing

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object", type(None): "null"}
_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"}


def schema_of(model):
    defs = {}
    made = _object(model, defs)
    return {**({"$defs": defs} if defs else {}), **made}


def _object(model, defs):
    properties, required = {}, []
    for name, info in model.model_fields.items():
        key = info.alias or name
        one = _type(info.annotation, defs)
        one.update({_LIMITS[limit]: value for limit, value in info.limits.items() if limit in _LIMITS})
        if info.description:
            one["description"] = info.description
        if info.is_required():
            required.append(key)
        elif info.default_factory is None:
            one["default"] = info.default
        properties[key] = {"title": info.title or key.replace("_", " ").title(), **one}
    made = {"properties": properties, "title": model.__name__, "type": "object"}
    return {**made, "required": required} if required else made


def _type(hint, defs):
    from pydantic.model import BaseModel

    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _type(args[0], defs)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_type(one, defs) for one in args]}
    if origin is typing.Literal:
        return {"enum": list(args), "type": _KINDS.get(type(args[0]), "string")}
    if origin in (list, set, tuple):
        return {"items": _type(args[0], defs) if args else {}, "type": "array"}
    if origin is dict:
        return {"additionalProperties": _type(args[1], defs), "type": "object"}
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        defs.setdefault(hint.__name__, None)
        if defs[hint.__name__] is None:
            defs[hint.__name__] = {}
            defs[hint.__name__] = _object(hint, defs)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if isinstance(hint, type) and hasattr(hint, "__members__"):
        return {"enum": [one.value for one in hint], "type": "string"}
    return {"type": _KINDS[hint]} if hint in _KINDS else {}
