"""Use the host's models, embedders and tools from Python."""

from _flow import channel
from _flow.tool_spec import spec_of


class _Proxy:
    def __init__(self, facts):
        self._flow_handle = facts["id"]
        self.name = facts.get("name")
        self.description = facts.get("description")

    def _call(self, method, *args):
        from _flow import values

        return values.decode(channel.ask("handle", id=self._flow_handle, method=method, args=values.encode(list(args))))


class LanguageModel(_Proxy):
    """A chat model of the host."""

    def __init__(self, facts, tools=(), choice=None):
        super().__init__(facts)
        self._facts, self._tools, self._choice = facts, tuple(tools), choice

    def invoke(self, input, *_args, **_kwargs):
        from langchain_core.messages import AIMessage

        answer = self._call("invoke", _messages(input), [spec_of(tool) for tool in self._tools], self._choice)
        calls = [{**call, "type": "tool_call"} for call in answer["tool_calls"]]
        return AIMessage(content=answer["text"], tool_calls=calls, usage_metadata=answer["usage"])

    async def ainvoke(self, input, *_args, **_kwargs):
        return self.invoke(input)

    def stream(self, input, *_args, **_kwargs):
        yield self.invoke(input)

    async def astream(self, input, *_args, **_kwargs):
        yield self.invoke(input)

    def bind_tools(self, tools, *, tool_choice=None, **_kwargs):
        """Return the model with tools it may call; a name in `tool_choice` forces that tool."""
        return LanguageModel(self._facts, tools, tool_choice if isinstance(tool_choice, str) else None)


class Embeddings(_Proxy):
    """An embedder of the host."""

    def embed_query(self, text):
        return self._call("embed_query", [text])[0]

    def embed_documents(self, texts):
        return self._call("embed", list(texts))

    async def aembed_query(self, text):
        return self.embed_query(text)

    async def aembed_documents(self, texts):
        return self.embed_documents(texts)


class Tool(_Proxy):
    """A tool of the host."""

    def __init__(self, facts):
        super().__init__(facts)
        self.args_schema = facts.get("parameters")

    def invoke(self, input=None, *_args, **_kwargs):
        given = input.get("args") if isinstance(input, dict) and input.get("type") == "tool_call" else input
        return self._call("tool", given if isinstance(given, dict) else {"input": given})

    def run(self, *args, **kwargs):
        return self.invoke(kwargs or (args[0] if args else {}))

    async def ainvoke(self, input=None, *_args, **_kwargs):
        return self.invoke(input)

    async def arun(self, *args, **kwargs):
        return self.run(*args, **kwargs)


_KINDS = {"model": LanguageModel, "embeddings": Embeddings, "tool": Tool}


def proxy(facts):
    made = _KINDS.get(facts["kind"])
    return None if made is None else made(facts)


def _messages(value):
    items = value if isinstance(value, (list, tuple)) else [value]
    return [_message(item) for item in items]


_ROLES = {"system": "system", "ai": "assistant", "Machine": "assistant", "tool": "tool"}


def _message(item):
    if isinstance(item, tuple):
        role, item = item
    else:
        role = _ROLES.get(getattr(item, "type", None) or getattr(item, "sender", None) or "", "user")
    text = item if isinstance(item, str) else getattr(item, "content", None)
    if text is None:
        text = item.get_text() if hasattr(item, "get_text") else str(item)
    if isinstance(text, list):
        text = "".join(part if isinstance(part, str) else part.get("text", "") for part in text)
    made = {"role": role, "text": text}
    if getattr(item, "tool_calls", None):
        made["tool_calls"] = [{key: call.get(key) for key in ("id", "name", "args")} for call in item.tool_calls]
    if getattr(item, "tool_call_id", None):
        made["tool_call_id"] = item.tool_call_id
    return made
