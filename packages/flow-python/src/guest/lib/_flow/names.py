"""Import paths of components, under both package names."""

import sys
import types
import typing

from _flow import component, helpers, inputs, kinds, logger, offered, schema, table

_INPUTS = [name for name in vars(inputs) if name.endswith("Input")] + ["DefaultPromptField", "Input"]
_BLOCKS = ["ContentBlock", "TextContent", "ToolContent", "ErrorContent", "JSONContent", "CodeContent", "MediaContent"]
_SCHEMA = ["Data", "Message", "dotdict", "Column", "EditMode", "TableSchema", "Log", "Properties", "Source", "FieldTypes", *_BLOCKS]
#: Base classes that require the host's models or files.
NOT_OFFERED = ["LCChainComponent"]

class _Missing:
    def __init__(self, name):
        self._name = name

    def __call__(self, *_args, **_kwargs):
        raise component.NotAvailable(f"{self._name} is not available to Python components")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}")

    def __mro_entries__(self, bases):
        raise TypeError(f"derives from {self._name}, which is not available to Python components")


_OPENAI = "gpt-4o-mini gpt-4o gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4-turbo gpt-3.5-turbo".split()
_REASONING = "o1 o1-mini o3 o3-mini o4-mini".split()
_GROQ = "llama-3.3-70b-versatile llama-3.1-8b-instant openai/gpt-oss-120b".split()
_ANTHROPIC = "claude-sonnet-4-5 claude-opus-4-1 claude-haiku-4-5".split()
_GOOGLE = "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite".split()
#: Lists of models that components offer as options.
MODEL_NAMES = {
    "OPENAI_MODEL_NAMES": [*_OPENAI],
    "OPENAI_CHAT_MODEL_NAMES": [*_OPENAI],
    "OPENAI_REASONING_MODEL_NAMES": [*_REASONING],
    "OPENAI_EMBEDDING_MODEL_NAMES": ["text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"],
    "GROQ_MODELS": [*_GROQ],
    "ANTHROPIC_MODELS": [*_ANTHROPIC],
    "GOOGLE_GENERATIVE_AI_MODELS": [*_GOOGLE],
    "IBM_WATSONX_URLS": [f"https://{place}.ml.cloud.ibm.com" for place in ("us-south", "eu-de", "eu-gb", "au-syd", "jp-tok", "ca-tor")],
    "URL_LIST": ["http://localhost:11434", "http://host.docker.internal:11434", "http://127.0.0.1:11434"],
}


def _names(source, names):
    return {name: getattr(source, name) for name in names}


def _paths():
    both = {"Component": component.Component, "CustomComponent": component.CustomComponent}
    io = {**_names(inputs, _INPUTS), "Output": inputs.Output}
    values = {**_names(schema, _SCHEMA), "DataFrame": table.DataFrame, "Record": schema.Data, "JSON": schema.Data, "Table": table.DataFrame}
    fields = {
        **kinds.TYPES, **_names(schema, ["RangeSpec", "Data", "Message"]), "DataFrame": table.DataFrame,
        "Input": inputs.Input, "Output": inputs.Output,
    }
    logging = {"logger": logger.logger, "configure": logger.configure}
    helps = {name: value for name, value in vars(helpers).items() if not name.startswith("_")}
    missing = {**{name: _Missing(name) for name in NOT_OFFERED}, **offered.BASES}
    services = _Missing("a service of the server")
    return {
        "": both,
        "custom": both,
        "custom.custom_component": both,
        "custom.custom_component.component": both,
        "custom.custom_component.custom_component": both,
        "interface": {},
        "interface.custom": both,
        "interface.custom.custom_component": both,
        "io": {**io, "TableSchema": schema.TableSchema},
        "inputs": io,
        "inputs.inputs": {**io, "FieldTypes": schema.FieldTypes},
        "inputs.input_mixin": {"FieldTypes": schema.FieldTypes},
        "template": {**io},
        "template.field": io,
        "template.field.base": io,
        "template.utils": {},
        "schema": {**values, "dotdict": schema.dotdict},
        "schema.data": values,
        "schema.message": {**values, "ErrorMessage": schema.Message},
        "schema.dataframe": values,
        "schema.dotdict": values,
        "schema.table": values,
        "schema.log": {**values, "LoggableType": object},
        "schema.content_block": values,
        "schema.content_types": values,
        "schema.properties": values,
        "schema.schema": values,
        "schema.record": values,
        "field_typing": fields,
        "field_typing.range_spec": fields,
        "field_typing.constants": fields,
        "helpers": helps,
        "helpers.data": helps,
        "helpers.record": helps,
        "logging": logging,
        "logging.logger": logging,
        "log": logging,
        "log.logger": logging,
        "utils": {},
        "utils.constants": helps,
        "utils.component_utils": helps,
        "utils.util": helps,
        "utils.async_helpers": helps,
        "base": {},
        "base.models.model_names": MODEL_NAMES,
        **{f"base.models.{name}": MODEL_NAMES for name in (
            "openai_constants anthropic_constants groq_constants google_generative_ai_constants ollama_constants "
            "watsonx_constants aws_constants model_input_constants"
        ).split()},
        "base.data": helps,
        "base.data.utils": helps,
        "base.io": {},
        "base.io.text": {"TextComponent": helpers.TextComponent},
        "base.io.chat": {"ChatComponent": helpers.ChatComponent},
        **{path: missing for path in (
            "base.models.model base.vectorstores.model base.langchain_utilities.model base.agents.agent "
            "base.embeddings.model base.chains.model base.data.base_file base.textsplitters.model base.document_transformers.model "
            "components.langchain_utilities.tool_calling components.agents base.models base.vectorstores "
            "base.langchain_utilities base.agents base.embeddings base.chains base.textsplitters base.document_transformers components "
            "components.langchain_utilities"
        ).split()},
        "graph": {"Graph": _Missing("Graph")},
        "services": {},
        "services.deps": {name: services for name in (
            "get_settings_service get_storage_service get_variable_service session_scope get_session "
            "get_db_service get_cache_service get_chat_service get_tracing_service get_queue_service"
        ).split()},
        "events": {"EventManager": _Missing("EventManager")},
        "events.event_manager": {"EventManager": _Missing("EventManager")},
        "memory": {name: services for name in ("get_messages", "store_message", "aget_messages", "astore_message")},
    }


def defaults():
    """Return the names that the reference gives every component's source without an import."""
    found = {**kinds.TYPES, **_names(inputs, [*_INPUTS, "Output"]), "Data": schema.Data, "Message": schema.Message}
    standard = {name: __import__(name) for name in ("ast", "contextlib", "importlib", "warnings")}
    types_ = {"FunctionType": types.FunctionType, "Optional": typing.Optional, "Union": typing.Union}
    return {**found, **standard, **types_, "DataFrame": table.DataFrame, "logger": logger.logger}


def install():
    for root in ("langflow", "lfx"):
        for path, names in _paths().items():
            name = f"{root}.{path}" if path else root
            module = types.ModuleType(name)
            module.__path__ = []
            module.__dict__.update(names)
            sys.modules[name] = module
        for name in [name for name in sys.modules if name.startswith(root + ".")]:
            parent, _, last = name.rpartition(".")
            if not hasattr(sys.modules[parent], last):
                setattr(sys.modules[parent], last, sys.modules[name])
