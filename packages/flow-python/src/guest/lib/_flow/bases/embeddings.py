"""The base class of components that make an embedder."""

from _flow.chain.embeddings import Embeddings
from _flow.component import Component
from _flow.inputs import Output


class LCEmbeddingsModel(Component):
    """A component with an embedder for other components."""

    trace_type = "embedding"
    outputs = [Output(name="embeddings", display_name="Embedding Model", method="build_embeddings")]

    def build_embeddings(self) -> Embeddings:
        raise NotImplementedError("Implement build_embeddings")
