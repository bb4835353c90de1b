"""Modules of other packages, each with the names that the host lists."""

import sys
import types

import pydantic.v1

from _flow import similarity

from _flow.bases.agent import DEFAULT_AGENT_NAME, DEFAULT_TOOLS_DESCRIPTION, LCAgentComponent, LCToolsAgentComponent, ToolCallingAgentComponent
from _flow.bases.embeddings import LCEmbeddingsModel
from _flow.bases.files import BaseFileComponent
from _flow.bases.model import LCModelComponent
from _flow.bases.splitter import LCDocumentTransformerComponent, LCTextSplitterComponent
from _flow.bases.tool import LCToolComponent
from _flow.bases.vectors import LCVectorStoreComponent, check_cached_vector_store
from _flow.chain import agents, documents, embeddings, made_embeddings, made_models, messages, models, parsers, prompts, repl, runnables, splitters, stores, tools

_SOURCES = (agents, runnables, messages, documents, prompts, parsers, tools, models, made_models, embeddings, made_embeddings, stores, splitters, repl, similarity, pydantic.v1)
#: Base classes of components, which `names` puts below langflow and lfx.
BASES = {
    one.__name__: one
    for one in (
        LCModelComponent, LCToolComponent, LCEmbeddingsModel, LCVectorStoreComponent, check_cached_vector_store,
        LCAgentComponent, LCToolsAgentComponent, ToolCallingAgentComponent, LCDocumentTransformerComponent,
        LCTextSplitterComponent, BaseFileComponent,
    )
}
BASES["DEFAULT_TOOLS_DESCRIPTION"] = DEFAULT_TOOLS_DESCRIPTION
BASES["DEFAULT_AGENT_NAME"] = DEFAULT_AGENT_NAME


class _Offered(types.ModuleType):
    """A module with some names; any other is refused by name."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(f"{name} of {self.__name__} is not available to Python components", name=self.__name__)


def _found(name):
    for source in _SOURCES:
        if hasattr(source, name):
            return getattr(source, name)
    from _flow.kinds import TYPES

    return TYPES[name]


def install(offered, sources):
    """Create the modules, except those of packages that the operator brought."""
    for path, listed in offered.items():
        top = path.partition(".")[0]
        if f"{top}/__init__.py" in sources or f"{top}.py" in sources:
            continue
        parts = path.split(".")
        for count in range(1, len(parts) + 1):
            _module(".".join(parts[:count]))
        for name in listed.split():
            sys.modules[path].__dict__[name] = _found(name)


def _module(path):
    if path in sys.modules:
        return
    made = _Offered(path)
    made.__path__ = []
    sys.modules[path] = made
    parent, _, last = path.rpartition(".")
    if parent:
        sys.modules[parent].__dict__[last] = made
