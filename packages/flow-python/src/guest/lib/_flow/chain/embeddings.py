"""Embedders: the host's, and those that a component makes or writes itself."""


class Embeddings:
    """Turns texts into vectors. Authors derive from it and write `embed_documents` and `embed_query`."""

    def embed_documents(self, texts):
        raise NotImplementedError(f"{type(self).__name__} has no method embed_documents")

    def embed_query(self, text):
        return self.embed_documents([text])[0]

    async def aembed_query(self, text):
        return self.embed_query(text)

    async def aembed_documents(self, texts):
        return self.embed_documents(texts)
