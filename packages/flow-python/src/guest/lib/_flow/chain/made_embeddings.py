"""Embedders that a component makes itself: the host creates them by provider when they are first used."""

from _flow.chain.embeddings import Embeddings
from _flow.chain.made_models import create, report_ignored, spec_of_arguments


class MadeEmbeddings(Embeddings):
    """An embedder of a provider, with the arguments of the class that components know by this name."""

    _provider = ""
    _model = ""

    def __init__(self, model=None, **given):
        if model is not None:
            given["model"] = model
        spec = spec_of_arguments(type(self).__name__, given, {"model": self._model})
        self._spec = {
            **spec,
            "body": given.pop("model_kwargs", None) or {},
            "query": given.pop("default_query", None),
            "dimensions": given.pop("dimensions", None),
            "chunkSize": given.pop("chunk_size", None),
        }
        report_ignored(type(self).__name__, given)
        self.model = self._spec["model"]
        self._handles = []

    @property
    def _flow_handle(self):
        if not self._handles:
            self._handles.append(create("embeddings", self._provider, self._spec))
        return self._handles[0]

    def embed_query(self, text):
        from _flow.handles import call_host

        return call_host(self._flow_handle, "embed_query", [text])[0]

    def embed_documents(self, texts, chunk_size=None):
        from _flow.handles import call_host

        return call_host(self._flow_handle, "embed", list(texts))


def _embeddings(name, provider, model=""):
    facts = {"_provider": provider, "_model": model, "__doc__": f"An embedder of {provider}."}
    return type(name, (MadeEmbeddings,), facts)


OpenAIEmbeddings = _embeddings("OpenAIEmbeddings", "OpenAI", "text-embedding-ada-002")
AzureOpenAIEmbeddings = _embeddings("AzureOpenAIEmbeddings", "Azure OpenAI", "text-embedding-ada-002")
OllamaEmbeddings = _embeddings("OllamaEmbeddings", "Ollama")
CohereEmbeddings = _embeddings("CohereEmbeddings", "Cohere")
GoogleGenerativeAIEmbeddings = _embeddings("GoogleGenerativeAIEmbeddings", "Google Generative AI")
WatsonxEmbeddings = _embeddings("WatsonxEmbeddings", "IBM WatsonX")
