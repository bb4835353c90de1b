"""Chat models. The host sends every request; Python only describes it."""

import copy
import json

from _flow.chain.messages import AIMessage, AIMessageChunk, message_of
from _flow.chain.runnables import Runnable, RunnableLambda
from _flow.tool_spec import spec_of

#: Arguments of `invoke` and `bind` that a request carries.
_OPTIONS = {"temperature": "temperature", "max_tokens": "maxTokens", "max_completion_tokens": "maxTokens", "seed": "seed", "model": "model"}


class BaseChatModel(Runnable):
    """A chat model: `_flow_handle` is the number of the model at the host."""

    _flow_handle = None

    def __init__(self):
        self._tools, self._choice, self._bound = (), None, {}

    def invoke(self, input, config=None, **kwargs):
        answer = self._call("invoke", input, kwargs)
        calls = [{**call, "type": "tool_call"} for call in answer["tool_calls"]]
        return AIMessage(content=answer["text"], tool_calls=calls, usage_metadata=answer["usage"])

    def stream(self, input, config=None, **kwargs):
        from _flow.handles import call_host

        number = self._call("stream", input, kwargs)
        while (piece := call_host(self._flow_handle, "next", number)) is not None:
            calls = [{**call, "type": "tool_call"} for call in piece["tool_calls"]]
            yield AIMessageChunk(content=piece["text"], tool_calls=calls, usage_metadata=piece["usage"])

    def _call(self, method, input, kwargs):
        from _flow.handles import call_host

        specs = [spec_of(tool) for tool in self._tools]
        return call_host(self._flow_handle, method, _messages(input), specs, self._choice, self._options(kwargs))

    def _options(self, kwargs):
        given = {**self._bound, **kwargs}
        options = {_OPTIONS[key]: value for key, value in given.items() if key in _OPTIONS and value is not None}
        if given.get("response_format") is not None:
            options["responseFormat"] = _format(given["response_format"])
        return options

    def __call__(self, input, config=None, **kwargs):
        return self.invoke(input, config, **kwargs)

    def predict(self, text, **kwargs):
        return self.invoke(text, **kwargs).content

    def bind(self, **kwargs):
        made = copy.copy(self)
        made._bound = {**self._bound, **kwargs}
        return made

    def bind_tools(self, tools, *, tool_choice=None, **_kwargs):
        """Return the model with tools it may call; a name in `tool_choice` forces that tool."""
        made = copy.copy(self)
        made._tools = tuple(tools)
        made._choice = tool_choice if isinstance(tool_choice, str) else None
        return made

    bind_functions = bind_tools

    def with_structured_output(self, schema, *, include_raw=False, method=None, **_kwargs):
        """Return a step that gives an object of the schema: a pydantic model for a class, a dict otherwise."""
        shape, name = _shape(schema)
        model = self.bind(response_format={"name": name, "schema": shape})

        def ask(input):
            raw = model.invoke(input)
            value = json.loads(raw.content)
            parsed = schema.model_validate(value) if hasattr(schema, "model_validate") else value
            return {"raw": raw, "parsed": parsed, "parsing_error": None} if include_raw else parsed

        return RunnableLambda(ask)

    def get_num_tokens(self, text):
        return len(text) // 4 + 1


def _shape(schema):
    if isinstance(schema, dict):
        inner = schema.get("function", schema)
        return inner.get("parameters", inner), inner.get("name") or inner.get("title") or "answer"
    if hasattr(schema, "model_json_schema"):
        return schema.model_json_schema(), schema.__name__
    return spec_of(schema)["parameters"], schema.__name__


def _format(form):
    if isinstance(form, dict) and "schema" in form:
        return form
    if isinstance(form, dict) and form.get("type") == "json_schema":
        return {key: form["json_schema"].get(key) for key in ("name", "schema")}
    return "json"


def _messages(value):
    if hasattr(value, "to_messages"):
        value = value.to_messages()
    items = value if isinstance(value, list) else [value]
    return [_message(item) for item in items]


_ROLES = {"system": "system", "ai": "assistant", "Machine": "assistant", "tool": "tool"}


def _message(item):
    item = message_of(item)
    role = _ROLES.get(getattr(item, "type", None) or getattr(item, "sender", None) or "", "user")
    text = getattr(item, "content", None)
    if text is None:
        text = item.get_text() if hasattr(item, "get_text") else str(item)
    made = {"role": role, **({"text": text} if isinstance(text, str) else _parts(text))}
    if getattr(item, "tool_calls", None):
        made["tool_calls"] = [{key: call.get(key) for key in ("id", "name", "args")} for call in item.tool_calls]
    if getattr(item, "tool_call_id", None):
        made["tool_call_id"] = item.tool_call_id
    return made


def _parts(parts):
    """Read content parts: texts are joined, images are passed with the message."""
    texts, images = [], []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif part.get("type") == "image_url":
            image = part.get("image_url")
            images.append(image if isinstance(image, str) else image.get("url"))
        else:
            texts.append(part.get("text", ""))
    return {"text": "".join(texts), **({"images": images} if images else {})}
