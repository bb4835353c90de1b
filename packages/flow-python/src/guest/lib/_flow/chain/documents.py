class Document:
    """Text with metadata."""

    def __init__(self, page_content="", metadata=None, id=None, **_more):
        self.page_content, self.metadata, self.id = page_content, metadata or {}, id

    def __eq__(self, other):
        return isinstance(other, Document) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        return f"Document(page_content={self.page_content!r}, metadata={self.metadata!r})"
