"""Encode values for the host and decode them: JSON with type tags."""

import base64
import dataclasses
import datetime
import decimal
import enum
import inspect
import math
import pathlib
import uuid

from _flow import channel, kept
from _flow.chain.agents import AgentExecutor
from _flow.schema import Data, Message, _plain
from _flow.table import DataFrame

_SAFE = 2**53 - 1
_DEEPEST = 200


def decode(value):
    """Decode a value from the host."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$")
    if kind == "message":
        return Message(**{key: decode(item) for key, item in value["fields"].items()})
    if kind == "data":
        return Data(decode(value["data"]), value["text_key"], value["default_value"])
    if kind == "frame":
        return DataFrame([decode(row) for row in value["rows"]], columns=value["columns"] or None)
    if kind == "dict":
        return {key: decode(item) for key, item in value["items"]}
    if kind == "int":
        return int(value["text"])
    if kind == "handle":
        from _flow.handles import proxy

        return proxy(value)
    return {key: decode(item) for key, item in value.items()}


def encode(value, depth=0):
    """Encode a value for the host; values without a JSON form become strings."""
    if depth > _DEEPEST:
        return str(value)
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, enum.Enum):
        return encode(value.value, depth + 1)
    if isinstance(value, int):
        return int(value) if -_SAFE <= value <= _SAFE else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Message):
        return _message(value, depth)
    if isinstance(value, Data):
        inner = encode(value.data, depth + 1)
        return {"$": "data", "data": inner, "text_key": value.text_key, "default_value": value.default_value}
    if isinstance(value, DataFrame):
        rows = [encode(row, depth + 1) for row in value.to_dict(orient="records")]
        return {"$": "frame", "columns": [str(column) for column in value.columns], "rows": rows}
    if isinstance(value, AgentExecutor):
        return {"tools": [one.name for one in value.tools]}
    if isinstance(value, kept.KINDS):
        return {"$": "handle", "id": kept.handle(value)}
    if isinstance(value, dict):
        return _object(value, depth)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(item, depth + 1) for item in value]
    return _other(value, depth)


def _other(value, depth):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath, decimal.Decimal)):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return encode(dataclasses.asdict(value), depth + 1)
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return encode(value.model_dump(), depth + 1)
    if isinstance(value, (range, map, filter, zip)) or inspect.isgenerator(value):
        return [encode(item, depth + 1) for item in value]
    if hasattr(value, "tolist"):
        return encode(value.tolist(), depth + 1)
    return str(value)


def _object(value, depth):
    items = [(str(key), encode(item, depth + 1)) for key, item in value.items()]
    if any(key == "$" for key, _ in items):
        return {"$": "dict", "items": items}
    return dict(items)


def _message(message, depth):
    fields = {key: encode(item, depth + 1) for key, item in message.data.items() if key != "text"}
    fields["text"] = read_text(message.data.get("text"))
    fields["files"] = [encode(file, depth + 1) for file in message.files]
    fields["properties"] = encode(message.properties.model_dump(), depth + 1)
    fields["content_blocks"] = [encode(_plain(block), depth + 1) for block in message.content_blocks]
    if message.id is not None:
        fields["id"] = str(message.id)
    return {"$": "message", "fields": fields}


def read_text(text):
    """Read streamed text completely and show each piece as it arrives."""
    if text is None or isinstance(text, str):
        return text or ""
    if hasattr(text, "__aiter__"):
        from _flow import loop

        return loop.run(_read_async(text))
    if hasattr(text, "__iter__"):
        return "".join(_piece(part) for part in text)
    return str(text)


async def _read_async(text):
    parts = []
    async for part in text:
        parts.append(_piece(part))
    return "".join(parts)


def _piece(part):
    piece = part if isinstance(part, str) else str(getattr(part, "content", part))
    if piece:
        channel.tell("token", text=piece)
    return piece
