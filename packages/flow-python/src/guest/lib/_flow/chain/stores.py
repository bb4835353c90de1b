"""Vector stores in the memory of a build."""

import math
import uuid

from _flow.chain.documents import Document
from _flow.chain.runnables import Runnable
from numpy.array import product


class VectorStore:
    """Documents with their vectors, searched by similarity."""

    def __init__(self, embedding=None, embedding_function=None, embeddings=None, **_more):
        self.embeddings = embedding or embedding_function or embeddings
        self._rows = {}

    @classmethod
    def from_documents(cls, documents, embedding=None, **more):
        made = cls(embedding=embedding, **more)
        made.add_documents(documents)
        return made

    @classmethod
    def from_texts(cls, texts, embedding=None, metadatas=None, ids=None, **more):
        made = cls(embedding=embedding, **more)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    def add_documents(self, documents, ids=None, **_more):
        documents = list(documents)
        texts = [one.page_content for one in documents]
        vectors = self.embeddings.embed_documents(texts) if texts else []
        ids = ids or [one.id or str(uuid.uuid4()) for one in documents]
        for key, document, vector in zip(ids, documents, vectors, strict=True):
            self._rows[key] = (Document(document.page_content, dict(document.metadata), id=key), vector)
        return list(ids)

    def add_texts(self, texts, metadatas=None, ids=None, **_more):
        metadatas = metadatas or [{} for _ in texts]
        return self.add_documents([Document(text, data) for text, data in zip(texts, metadatas, strict=True)], ids)

    async def aadd_documents(self, documents, **more):
        return self.add_documents(documents, **more)

    def delete(self, ids=None, **_more):
        for key in list(self._rows) if ids is None else ids:
            self._rows.pop(key, None)
        return True

    def get_by_ids(self, ids):
        return [self._rows[key][0] for key in ids if key in self._rows]

    def get(self, where=None, limit=None, include=None, ids=None):
        rows = [(key, row[0]) for key, row in self._rows.items() if _fits(row[0], where)][:limit]
        return {
            "ids": [key for key, _ in rows],
            "documents": [one.page_content for _, one in rows],
            "metadatas": [one.metadata for _, one in rows],
        }

    def _ranked(self, vector, filter):
        rows = [(_cosine(vector, other), one, other) for one, other in self._rows.values() if _fits(one, filter)]
        return sorted(rows, key=lambda row: -row[0])

    def similarity_search(self, query, k=4, filter=None, **_more):
        return [one for one, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(self, query, k=4, filter=None, **_more):
        ranked = self._ranked(self.embeddings.embed_query(query), filter)
        return [(one, score) for score, one, _ in ranked[:k]]

    similarity_search_with_relevance_scores = similarity_search_with_score

    def similarity_search_by_vector(self, embedding, k=4, filter=None, **_more):
        return [one for _, one, _ in self._ranked(embedding, filter)[:k]]

    def max_marginal_relevance_search(self, query, k=4, fetch_k=20, lambda_mult=0.5, filter=None, **_more):
        left = self._ranked(self.embeddings.embed_query(query), filter)[:fetch_k]
        chosen = []
        while left and len(chosen) < k:
            best = max(left, key=lambda row: lambda_mult * row[0] - (1 - lambda_mult) * max((_cosine(row[2], one[2]) for one in chosen), default=0))
            left.remove(best)
            chosen.append(best)
        return [one for _, one, _ in chosen]

    async def asimilarity_search(self, query, k=4, **more):
        return self.similarity_search(query, k, **more)

    def search(self, query, search_type="similarity", **more):
        found = {
            "similarity": self.similarity_search,
            "mmr": self.max_marginal_relevance_search,
            "similarity_score_threshold": self._above,
        }.get(search_type)
        if found is None:
            raise ValueError(f"search_type of {search_type} not allowed. Expected similarity, similarity_score_threshold or mmr.")
        return found(query, **more)

    def _above(self, query, k=4, score_threshold=0.0, **more):
        return [one for one, score in self.similarity_search_with_score(query, k, **more) if score >= score_threshold]

    def as_retriever(self, search_type="similarity", search_kwargs=None, **_more):
        return VectorStoreRetriever(self, search_type, search_kwargs or {})


class VectorStoreRetriever(Runnable):
    """A search of a store as a step."""

    def __init__(self, vectorstore, search_type="similarity", search_kwargs=None):
        self.vectorstore, self.search_type, self.search_kwargs = vectorstore, search_type, search_kwargs or {}

    def invoke(self, input, config=None, **kwargs):
        return self.vectorstore.search(input, self.search_type, **self.search_kwargs)

    get_relevant_documents = invoke


def _fits(document, where):
    if callable(where):
        return where(document)
    return all(document.metadata.get(key) == value for key, value in (where or {}).items())


def _cosine(one, other):
    length = math.sqrt(product(one, one)) * math.sqrt(product(other, other))
    return product(one, other) / length if length else 0.0


class InMemoryVectorStore(VectorStore):
    """A store for one build."""


class FAISS(VectorStore):
    """A store for one build."""


class Chroma(VectorStore):
    """A store for one build; collections on a disk or a server are not available."""

    def __init__(self, collection_name="langchain", embedding_function=None, persist_directory=None, client=None, **more):
        if persist_directory or client is not None:
            from _flow.component import NotAvailable

            raise NotAvailable("A Chroma store with persist_directory or client is not available to Python components")
        super().__init__(embedding_function=embedding_function, **more)
