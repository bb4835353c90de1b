"""Objects of the author's code that the host uses: tools and embedders that were passed to other components."""

from _flow import channel, loop
from _flow.chain.embeddings import Embeddings
from _flow.chain.models import BaseChatModel
from _flow.chain.tools import BaseTool

KINDS = (BaseTool, Embeddings, BaseChatModel)

_objects = []
_handles = {}


def handle(value):
    """Return the host's number of an object; the host can call the object from then on."""
    known = getattr(value, "_flow_handle", None)
    if known is None:
        known = _handles.get(id(value))
    if known is None:
        number = len(_objects)
        _objects.append(value)
        known = _handles[id(value)] = channel.ask("keep", number=number, **_facts(value))
    return known


def _facts(value):
    if isinstance(value, BaseTool):
        from _flow.tool_spec import spec_of

        return {"kind": "tool", **spec_of(value), "return_direct": bool(value.return_direct)}
    if isinstance(value, Embeddings):
        return {"kind": "embeddings"}
    raise TypeError(f"{type(value).__name__} cannot be used outside of the component that made it")


def call(number, method, args):
    target = _objects[number]
    if method == "tool":
        return target.run(args[0])
    if method == "embed":
        return target.embed_documents(args[0])
    return target.embed_query(args[0])


def serve(callback):
    """Answer a call that the host makes while it works on a question."""
    from _flow import values

    try:
        result = call(callback["number"], callback["method"], values.decode(callback["args"]))
        return {"value": values.encode(loop.run(result) if hasattr(result, "__await__") else result)}
    except Exception as error:
        return {"error": str(error) or type(error).__name__}
