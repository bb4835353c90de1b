"""Names of types for annotations and `isinstance`."""

from _flow.chain.agents import AgentExecutor
from _flow.chain.documents import Document
from _flow.chain.embeddings import Embeddings
from _flow.chain.models import BaseChatModel
from _flow.chain.prompts import BasePromptTemplate, ChatPromptTemplate, PromptTemplate
from _flow.chain.parsers import BaseOutputParser
from _flow.chain.stores import VectorStore as _VectorStore
from _flow.chain.stores import VectorStoreRetriever
from _flow.chain.tools import BaseTool

_NAMES = (
    "Text LanguageModel BaseLanguageModel BaseLLM BaseChatModel BaseChatMemory BaseMemory BaseRetriever Retriever "
    "Embeddings Tool BaseTool VectorStore VectorStoreRetriever Document Chain AgentExecutor BaseLoader "
    "BaseOutputParser BasePromptTemplate ChatPromptTemplate PromptTemplate Prompt Object NestedDict Callable "
    "Code Memory BaseChatMessageHistory TextSplitter BaseDocumentCompressor ToolEnabledLanguageModel"
).split()
_MODELS = "LanguageModel BaseLanguageModel BaseLLM ToolEnabledLanguageModel".split()
_REAL = {
    one.__name__: one
    for one in (Document, Embeddings, BaseChatModel, BaseOutputParser, BasePromptTemplate, ChatPromptTemplate, PromptTemplate, BaseTool, AgentExecutor)
}


class _Kind(type):
    """A name of another class: `isinstance` asks that class."""

    def __instancecheck__(cls, value):
        real = cls.__dict__.get("_real")
        return isinstance(value, real) if real is not None else type.__instancecheck__(cls, value)


def _kind(name, real):
    return _Kind(name, (), {"__module__": "langflow.field_typing", "_real": real})


TYPES = {name: _REAL.get(name) or _kind(name, BaseChatModel if name in _MODELS else None) for name in _NAMES}
TYPES["VectorStore"] = _kind("VectorStore", _VectorStore)
TYPES["Retriever"] = _kind("Retriever", VectorStoreRetriever)
TYPES["VectorStoreRetriever"] = VectorStoreRetriever
TYPES["Tool"] = _kind("Tool", BaseTool)
TYPES["Text"] = str
TYPES["NestedDict"] = dict
TYPES["Object"] = object

LanguageModel = TYPES["LanguageModel"]
Tool = TYPES["Tool"]
VectorStore = TYPES["VectorStore"]
