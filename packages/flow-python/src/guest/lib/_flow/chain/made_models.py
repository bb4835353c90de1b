"""Chat models that a component makes itself: the host creates them by provider when they are first used."""

from _flow import channel
from _flow.chain.models import BaseChatModel
from _flow.logger import logger

_KEYS = (
    "api_key openai_api_key anthropic_api_key google_api_key groq_api_key mistral_api_key nvidia_api_key "
    "azure_openai_api_key cohere_api_key apikey"
).split()
_ADDRESSES = (
    "base_url openai_api_base anthropic_api_url azure_endpoint groq_api_base mistral_api_base endpoint url api_base server_url"
).split()
_NAMES = "model model_name model_id deployment_id".split()
_LIMITS = "max_tokens max_completion_tokens max_output_tokens num_predict max_new_tokens max_tokens_to_sample".split()
_TIMEOUTS = "timeout request_timeout default_request_timeout".split()
_BODY = "top_p frequency_penalty presence_penalty reasoning_effort".split()
#: Arguments without a meaning here; all other unknown ones are reported in the log.
_SILENT = "streaming stream_usage disable_streaming verbose callbacks tags metadata cache name n api_type http_client http_async_client".split()


def plain(value):
    """Return the text of a secret."""
    return value.get_secret_value() if hasattr(value, "get_secret_value") else value


def first(given, names):
    """Take the first argument that has a value; the others of the same meaning are taken as well."""
    found = [given.pop(name) for name in names if name in given]
    return next((plain(value) for value in found if value is not None and plain(value) != ""), None)


def create(kind, provider, given):
    """Let the host create a model or an embedder; return its number."""
    return channel.ask("create", kind=kind, provider=provider, **given)


def spec_of_arguments(title, given, defaults):
    """Sort the arguments that models and embedders share."""
    made = {
        "model": first(given, _NAMES) or defaults.get("model", ""),
        "apiKey": first(given, _KEYS),
        "baseUrl": first(given, _ADDRESSES) or defaults.get("baseUrl"),
        "timeout": first(given, _TIMEOUTS),
        "maxRetries": given.pop("max_retries", None),
        "headers": given.pop("default_headers", None),
        "deployment": first(given, ("azure_deployment", "deployment_name", "deployment")),
        "apiVersion": first(given, ("api_version", "openai_api_version")),
        "projectId": given.pop("project_id", None),
    }
    if isinstance(made["timeout"], (tuple, list)):
        made["timeout"] = made["timeout"][-1]
    return made


def report_ignored(title, given):
    ignored = sorted(key for key, value in given.items() if key not in _SILENT and value is not None)
    if ignored:
        logger.warning(f"{title}: ignored {', '.join(ignored)}")


class MadeModel(BaseChatModel):
    """A chat model of a provider, with the arguments of the class that components know by this name."""

    _provider = ""
    _defaults = {}

    def __init__(self, model=None, **given):
        super().__init__()
        if model is not None:
            given["model"] = model
        for name, value in given.items():
            if name not in ("model_name",):
                setattr(self, name, value)
        spec = spec_of_arguments(type(self).__name__, given, self._defaults)
        body = {name: given.pop(name) for name in _BODY if given.get(name) is not None}
        extra = {**(given.pop("model_kwargs", None) or {}), **(given.pop("extra_body", None) or {})}
        params = given.pop("params", None) or {}
        form = given.pop("response_format", None) or extra.pop("response_format", None)
        if form is None and given.pop("format", None) == "json":
            form = {"type": "json_object"}
        if form is not None:
            self._bound = {"response_format": form}
        settings = {
            "temperature": given.pop("temperature", params.get("temperature")),
            "maxTokens": first(given, _LIMITS) or params.get("max_new_tokens") or params.get("max_tokens"),
            "seed": first(given, ("seed", "random_seed")),
        }
        report_ignored(type(self).__name__, given)
        # Names of keys do not belong into the body of a request.
        extra = {key: value for key, value in extra.items() if "api_key" not in key}
        self._spec = {**spec, "body": {**extra, **body}, **settings}
        self._handles = []
        self.model_name = self._spec["model"]
        self.model = self._spec["model"]

    @property
    def _flow_handle(self):
        if not self._handles:
            self._handles.append(create("model", self._provider, {**self._spec, **self._options({})}))
        return self._handles[0]

    def bind(self, **kwargs):
        made = super().bind(**kwargs)
        made._handles = []
        return made


def _model(name, provider, model="", base=None):
    defaults = {"model": model, **({"baseUrl": base} if base else {})}
    facts = {"_provider": provider, "_defaults": defaults, "__doc__": f"A chat model of {provider}."}
    return type(name, (MadeModel,), facts)


ChatOpenAI = _model("ChatOpenAI", "OpenAI", "gpt-3.5-turbo")
AzureChatOpenAI = _model("AzureChatOpenAI", "Azure OpenAI")
ChatOllama = _model("ChatOllama", "Ollama")
ChatAnthropic = _model("ChatAnthropic", "Anthropic")
ChatGoogleGenerativeAI = _model("ChatGoogleGenerativeAI", "Google Generative AI")
ChatGroq = _model("ChatGroq", "Groq")
ChatMistralAI = _model("ChatMistralAI", "Mistral", "mistral-small")
ChatWatsonx = _model("ChatWatsonx", "IBM WatsonX")
ChatCohere = _model("ChatCohere", "Cohere", "command-r-plus")
ChatNVIDIA = _model("ChatNVIDIA", "OpenAI Compatible", base="https://integrate.api.nvidia.com/v1")
