"""Models, embeddings and tools of the host, used from Python."""

from _flow import channel


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

    def __init__(self, facts, tools=()):
        super().__init__(facts)
        self._facts, self._tools = facts, tools

    def invoke(self, input, *_args, **_kwargs):
        from langchain_core.messages import AIMessage

        return AIMessage(content=self._call("invoke", _messages(input)))

    async def ainvoke(self, input, *_args, **_kwargs):
        return self.invoke(input)

    def stream(self, input, *_args, **_kwargs):
        yield self.invoke(input)

    async def astream(self, input, *_args, **_kwargs):
        yield self.invoke(input)

    def bind_tools(self, tools, **_kwargs):
        return LanguageModel(self._facts, tools)


class Embeddings(_Proxy):
    """An embedding model of the host."""

    def embed_query(self, text):
        return self._call("embed", [text])[0]

    def embed_documents(self, texts):
        return self._call("embed", list(texts))


class Tool(_Proxy):
    """A tool of the host."""

    def invoke(self, input=None, *_args, **_kwargs):
        return self._call("tool", input if isinstance(input, dict) else {"input": input})

    def run(self, *args, **kwargs):
        return self.invoke(kwargs or (args[0] if args else {}))

    async def ainvoke(self, input=None, *_args, **_kwargs):
        return self.invoke(input)


_KINDS = {"model": LanguageModel, "embeddings": Embeddings, "tool": Tool}


def proxy(facts):
    made = _KINDS.get(facts["kind"])
    return None if made is None else made(facts)


def _messages(value):
    items = value if isinstance(value, (list, tuple)) else [value]
    return [_message(item) for item in items]


def _message(item):
    role = {"system": "system", "ai": "assistant", "Machine": "assistant"}.get(
        getattr(item, "type", None) or getattr(item, "sender", None) or "", "user"
    )
    if isinstance(item, tuple):
        role, item = item
    text = item if isinstance(item, str) else getattr(item, "content", None)
    if text is None:
        text = item.get_text() if hasattr(item, "get_text") else str(item)
    return {"role": role, "text": text}
