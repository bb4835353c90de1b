"""The base class of components that search a vector store."""

import functools

from _flow.chain.documents import Document
from _flow.component import Component
from _flow.helpers import docs_to_data
from _flow.inputs import BoolInput, HandleInput, Output, QueryInput
from _flow.kinds import VectorStore
from _flow.schema import Data, Message
from _flow.table import DataFrame


def check_cached_vector_store(function):
    """Build the store once for each build, unless the component says otherwise."""

    @functools.wraps(function)
    def build(self, *args, **kwargs):
        if not getattr(self, "should_cache_vector_store", True):
            return function(self, *args, **kwargs)
        if self.__dict__.get("_cached_vector_store") is None:
            self.__dict__["_cached_vector_store"] = function(self, *args, **kwargs)
        return self.__dict__["_cached_vector_store"]

    build.is_cached_vector_store_checked = True
    return build


class LCVectorStoreComponent(Component):
    """A component that puts data into a store and searches it."""

    trace_type = "retriever"
    inputs = _base_inputs = [
        HandleInput(name="ingest_data", display_name="Ingest Data", input_types=["Data", "DataFrame"], is_list=True),
        QueryInput(name="search_query", display_name="Search Query", info="The text to search for.", tool_mode=True),
        BoolInput(name="should_cache_vector_store", display_name="Cache Vector Store", value=True, advanced=True,
                  info="Build the store once for all outputs."),
    ]
    outputs = [
        Output(name="search_results", display_name="Search Results", method="search_documents"),
        Output(name="dataframe", display_name="DataFrame", method="as_dataframe"),
    ]

    def build_vector_store(self) -> VectorStore:
        raise NotImplementedError("build_vector_store method must be implemented.")

    def _prepare_ingest_data(self):
        """Return the data to store as one list; tables give a document for each row."""
        given = getattr(self, "ingest_data", None)
        if not given and not isinstance(given, DataFrame):
            return []
        made = []
        for item in given if isinstance(given, list) else [given]:
            made.extend(item.to_data_list() if isinstance(item, DataFrame) else [item])
        return made

    def _add_documents_to_vector_store(self, store):
        documents = [one.to_lc_document() if isinstance(one, Data) else one for one in self._prepare_ingest_data()]
        documents = [one if isinstance(one, Document) else Document(str(one)) for one in documents]
        if documents:
            store.add_documents(documents)

    def search_with_vector_store(self, input_value, search_type, vector_store, k=10, **kwargs):
        kind = {"similarity": "similarity", "mmr": "mmr", "similarity_score_threshold": "similarity_score_threshold",
                "similarity with score threshold": "similarity_score_threshold",
                "mmr (max marginal relevance)": "mmr"}.get(str(search_type or "similarity").lower())
        if not isinstance(input_value, str) or kind is None:
            raise ValueError("Invalid inputs provided.")
        found = docs_to_data(vector_store.search(query=input_value, search_type=kind, k=k, **kwargs))
        self.status = found
        return found

    def search_documents(self) -> list[Data]:
        query = getattr(self, "search_query", None)
        query = query.get_text() if isinstance(query, Message) else query
        store = self.build_vector_store()
        if not query or not str(query).strip():
            self.status = ""
            return []
        kwargs = self.get_retriever_kwargs().get("search_kwargs", {})
        kwargs.setdefault("k", getattr(self, "number_of_results", None) or 4)
        return self.search_with_vector_store(str(query), getattr(self, "search_type", None), store, **kwargs)

    def as_dataframe(self) -> DataFrame:
        return DataFrame(self.search_documents())

    def get_retriever_kwargs(self):
        return {}

    def cast_vector_store(self):
        return self.build_vector_store()
