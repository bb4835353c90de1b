"""The base classes of components that split or change documents."""

from _flow.chain.documents import Document
from _flow.component import Component
from _flow.inputs import Output
from _flow.schema import Data, Message
from _flow.table import DataFrame


class LCDocumentTransformerComponent(Component):
    """A component that gives its input to a transformer of documents."""

    trace_type = "document_transformer"
    outputs = [Output(name="data", display_name="Data", method="transform_data")]

    def get_data_input(self):
        raise NotImplementedError("Implement get_data_input")

    def build_document_transformer(self):
        raise NotImplementedError("Implement build_document_transformer")

    def transform_data(self) -> list[Data]:
        given = self.get_data_input()
        documents = [made for one in (given if isinstance(given, list) else [given]) for made in _documents(one)]
        found = self.build_document_transformer().transform_documents(documents)
        return self.to_data(list(found))

    def to_data(self, value):
        items = value if isinstance(value, list) else [value]
        return [Data.from_document(one) if isinstance(one, Document) else super(LCDocumentTransformerComponent, self).to_data(one)
                for one in items]


class LCTextSplitterComponent(LCDocumentTransformerComponent):
    """A component with a text splitter."""

    trace_type = "text_splitter"

    def build_document_transformer(self):
        return self.build_text_splitter()

    def build_text_splitter(self):
        raise NotImplementedError("Implement build_text_splitter")


def _documents(value):
    if isinstance(value, DataFrame):
        return [one.to_lc_document() for one in value.to_data_list()]
    if isinstance(value, Message):
        return [Document(page_content=value.get_text())]
    if isinstance(value, Data):
        return [value.to_lc_document()]
    return [value if isinstance(value, Document) else Document(page_content=str(value))]
