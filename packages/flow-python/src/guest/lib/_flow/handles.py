"""Use the host's models, embedders and tools from Python."""

from _flow import channel
from _flow.chain.embeddings import Embeddings as _Embeddings
from _flow.chain.models import BaseChatModel as _BaseChatModel
from _flow.chain.tools import BaseTool as _BaseTool


def call_host(handle, method, *args):
    """Call a method of a host object and return its decoded answer."""
    from _flow import values

    return values.decode(channel.ask("handle", id=handle, method=method, args=values.encode(list(args))))


class LanguageModel(_BaseChatModel):
    """A chat model of the host."""

    def __init__(self, facts):
        super().__init__()
        self._flow_handle = facts["id"]
        self.name = self.model_name = self.model = facts.get("name")
        self.description = facts.get("description")


class Embeddings(_Embeddings):
    """An embedder of the host."""

    def __init__(self, facts):
        self._flow_handle = facts["id"]

    def embed_query(self, text):
        return call_host(self._flow_handle, "embed_query", [text])[0]

    def embed_documents(self, texts):
        return call_host(self._flow_handle, "embed", list(texts))


class Tool(_BaseTool):
    """A tool of the host."""

    def __init__(self, facts):
        super().__init__(name=facts.get("name"), description=facts.get("description"), args_schema=facts.get("parameters"))
        self._flow_handle = facts["id"]

    def invoke(self, input=None, *_args, **_kwargs):
        given = input.get("args") if isinstance(input, dict) and input.get("type") == "tool_call" else input
        return call_host(self._flow_handle, "tool", given if isinstance(given, dict) else {"input": given})

    def run(self, *args, **kwargs):
        return self.invoke(kwargs or (args[0] if args else {}))


_KINDS = {"model": LanguageModel, "embeddings": Embeddings, "tool": Tool}


def proxy(facts):
    made = _KINDS.get(facts["kind"])
    return None if made is None else made(facts)
