"""Edge values: Data and Message, and the small objects they contain."""

import copy as _copy
import json
from datetime import datetime, timezone

_FIELDS = ("text_key", "data", "default_value")


class Data:
    """An object on an edge, with the key that holds its text."""

    _own = frozenset(_FIELDS)

    def __init__(self, data=None, text_key="text", default_value="", **extra):
        if data is None:
            data = {}
        if isinstance(data, Data):
            data = data.data
        if not isinstance(data, dict):
            raise ValueError("data must be a dictionary")
        object.__setattr__(self, "data", {**data, **extra})
        object.__setattr__(self, "text_key", text_key)
        object.__setattr__(self, "default_value", default_value)

    def __getattr__(self, name):
        if not name.startswith("__"):
            data = self.__dict__.get("data")
            if data is not None and name in data:
                return data[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        if name in type(self)._own or name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self.data[name] = value

    def __delattr__(self, name):
        if name in self.data:
            del self.data[name]
        else:
            object.__delattr__(self, name)

    def __dir__(self):
        return [*super().__dir__(), *self.data]

    def get_text(self):
        return self.data.get(self.text_key, self.default_value)

    def set_text(self, text):
        self.data[self.text_key] = "" if text is None else str(text)
        return self.data[self.text_key]

    def __add__(self, other):
        merged = dict(self.data)
        for key, value in other.data.items():
            try:
                merged[key] = merged[key] + value if key in merged else value
            except TypeError:
                merged[key] = value
        return Data(data=merged)

    def __contains__(self, key):
        return key in self.data

    def __getitem__(self, key):
        return self.data[key]

    def __eq__(self, other):
        return isinstance(other, Data) and self.data == other.data

    __hash__ = None

    def __str__(self):
        return json.dumps(_plain(self.data), indent=4, ensure_ascii=False, default=str)

    def __repr__(self):
        return f"Data(text_key={self.text_key!r}, data={self.data!r}, default_value={self.default_value!r})"

    def __copy__(self):
        return Data(dict(self.data), self.text_key, self.default_value)

    def __deepcopy__(self, memo):
        return Data(_copy.deepcopy(self.data, memo), self.text_key, self.default_value)

    def copy(self):
        return _copy.copy(self)

    def model_copy(self, deep=False, update=None):
        made = _copy.deepcopy(self) if deep else _copy.copy(self)
        made.data.update(update or {})
        return made

    def model_dump(self, **_options):
        return {"text_key": self.text_key, "data": dict(self.data), "default_value": self.default_value}

    dict = model_dump

    def model_dump_json(self, **_options):
        return json.dumps(_plain(self.model_dump()), ensure_ascii=False, default=str)

    @classmethod
    def model_validate(cls, value):
        return value if isinstance(value, cls) else cls(**value)

    def filter_data(self, filter_str):
        """Return the part of the data named by the text of a JSON object."""
        wanted = json.loads(filter_str)
        return Data(data={key: self.data[key] for key in wanted if key in self.data})

    def to_message(self):
        if self.text_key in self.data:
            return Message(text=self.get_text())
        return Message(text=str(self.data))

    def to_dataframe(self):
        from _flow.table import DataFrame

        values = list(self.data.values())
        if len(values) == 1 and isinstance(values[0], list) and values[0]:
            if all(isinstance(row, dict) for row in values[0]):
                return DataFrame(values[0])
        return DataFrame([self])

    def to_lc_document(self):
        from _flow.chain.documents import Document

        rest = {key: value for key, value in self.data.items() if key != self.text_key}
        return Document(page_content=self.get_text() or "", metadata=rest)

    @classmethod
    def from_document(cls, document):
        return cls(data={**document.metadata, "text": document.page_content}, text_key="text")

    @classmethod
    def from_lc_message(cls, message):
        return cls(data={"text": message.content, "metadata": message.to_json()}, text_key="text")


class Properties:
    """Display properties of a message."""

    def __init__(self, **given):
        source = given.pop("source", None)
        self.text_color = self.background_color = self.icon = self.positive_feedback = None
        self.edited = False
        self.allow_markdown = False
        self.state = "complete"
        self.targets = []
        self.__dict__.update(given)
        self.source = source if isinstance(source, Source) else Source(**(source or {}))

    def model_dump(self, **_options):
        return {**self.__dict__, "source": self.source.model_dump()}


class Source:
    """The component and model that produced a message."""

    def __init__(self, id=None, display_name=None, source=None, **_more):
        self.id, self.display_name, self.source = id, display_name, source

    def model_dump(self, **_options):
        return dict(self.__dict__)


_MESSAGE = {
    "sender": None,
    "sender_name": None,
    "session_id": "",
    "context_id": "",
    "flow_id": None,
    "error": False,
    "edit": False,
    "category": "message",
    "duration": None,
}


class Message(Data):
    """A chat message; every field is also in its data."""

    _own = frozenset({*_FIELDS, "properties", "content_blocks", "files", "id"})

    def __init__(self, text="", data=None, **given):
        given = {**(data or {}), **given}
        given.pop("text_key", None)
        given.pop("default_value", None)
        if "text" in given:
            text = given.pop("text")
        files = given.pop("files", None) or []
        properties = given.pop("properties", None)
        blocks = given.pop("content_blocks", None) or []
        made = given.pop("id", None)
        stamp = given.pop("timestamp", None)
        if isinstance(stamp, datetime):
            stamp = stamp.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        stamp = stamp or datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        text = "" if text is None else text
        super().__init__(data={"text": text, **_MESSAGE, "timestamp": stamp, **given})
        object.__setattr__(self, "files", files if isinstance(files, list) else [files])
        if not isinstance(properties, Properties):
            properties = Properties(**(properties or {}))
        object.__setattr__(self, "properties", properties)
        object.__setattr__(self, "content_blocks", list(blocks))
        object.__setattr__(self, "id", made)

    def __copy__(self):
        return self._with(dict(self.data))

    def __deepcopy__(self, memo):
        return self._with(_copy.deepcopy(self.data, memo))

    def _with(self, data):
        made = Message(data=data)
        made.files, made.id = list(self.files), self.id
        made.properties = _copy.copy(self.properties)
        made.content_blocks = list(self.content_blocks)
        return made

    def __repr__(self):
        return f"Message(text={self.data.get('text')!r}, sender={self.sender!r})"

    def get_text(self):
        return self.data.get("text")

    def set_flow_id(self, flow_id):
        self.data["flow_id"] = flow_id

    def is_complete(self):
        return all(self.data.get(key) for key in ("text", "sender", "sender_name", "session_id"))

    def format_text(self):
        template = self.data.get("template")
        if template is None:
            return self.text
        values = {k: (v.get_text() if isinstance(v, Data) else v) for k, v in self.data.get("variables", {}).items()}
        self.data["text"] = template.format(**values)
        return self.text

    @classmethod
    async def create(cls, **given):
        return cls(**given)

    @classmethod
    def from_template(cls, template, **variables):
        made = cls(template=template, variables=variables)
        made.format_text()
        return made

    @classmethod
    def from_data(cls, data):
        return cls(text=data.get_text(), **{k: v for k, v in data.data.items() if k in _MESSAGE})

    def get_file_content_dicts(self):
        import base64
        import mimetypes

        parts = []
        for file in self.files:
            kind = mimetypes.guess_type(str(file))[0] or "image/png"
            with open(file, "rb") as opened:
                text = base64.b64encode(opened.read()).decode()
            parts.append({"type": "image_url", "image_url": {"url": f"data:{kind};base64,{text}"}})
        return parts

    def model_dump(self, **_options):
        return {
            **self.data,
            "text_key": "text",
            "data": dict(self.data),
            "default_value": "",
            "id": self.id,
            "files": list(self.files),
            "properties": self.properties.model_dump(),
            "content_blocks": [_plain(block) for block in self.content_blocks],
        }

    dict = model_dump

    def to_message(self):
        return self

    def to_data(self):
        return Data(data={"text": self.text})

    def to_dataframe(self):
        from _flow.table import DataFrame

        return DataFrame([self.to_data()])

    def to_lc_message(self):
        from _flow.chain.messages import AIMessage, HumanMessage

        kind = AIMessage if self.sender == "Machine" else HumanMessage
        return kind(content=self.text)


def _plain(value):
    if isinstance(value, Data):
        return _plain(value.data)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump())
    return value


class dotdict(dict):
    """A dictionary with attribute access, including nested dictionaries."""

    def __getattr__(self, name):
        try:
            value = self[name]
        except KeyError:
            raise AttributeError(f"'dotdict' object has no attribute '{name}'") from None
        if isinstance(value, dict) and not isinstance(value, dotdict):
            value = dotdict(value)
            self[name] = value
        return value

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"'dotdict' object has no attribute '{name}'") from None

    def __missing__(self, key):
        return dotdict()


class _Bag:
    """Named attributes, some with defaults."""

    _defaults = {}

    def __init__(self, **given):
        for name, value in {**self._defaults, **given}.items():
            setattr(self, name, _copy.copy(value))

    def model_dump(self, **_options):
        return {key: _plain(value) for key, value in self.__dict__.items()}

    dict = model_dump

    def __repr__(self):
        inner = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items())
        return f"{type(self).__name__}({inner})"

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None


def _bag(kind, /, **defaults):
    return type(kind, (_Bag,), {"_defaults": defaults})


Column = _bag("Column", display_name=None, type="str", sortable=True, filterable=True, description=None,
              default=None, disable_edit=False, edit_mode="popover", hidden=False)
TableSchema = _bag("TableSchema", columns=[])
RangeSpec = _bag("RangeSpec", step_type="float", min=-1.0, max=1.0, step=0.1)
ContentBlock = _bag("ContentBlock", title="", contents=[], allow_markdown=True, media_url=None)
TextContent = _bag("TextContent", type="text", text="", duration=None, header={})
ToolContent = _bag("ToolContent", type="tool_use", name=None, tool_input={}, output=None, error=None, duration=None, header={})
ErrorContent = _bag("ErrorContent", type="error", component=None, field=None, reason=None, solution=None, traceback=None, duration=None, header={})
JSONContent = _bag("JSONContent", type="json", data={}, duration=None, header={})
CodeContent = _bag("CodeContent", type="code", code="", language="", title=None, duration=None, header={})
MediaContent = _bag("MediaContent", type="media", urls=[], caption=None, duration=None, header={})
Log = _bag("Log", name="", message=None, type="text")


class EditMode:
    MODAL = "modal"
    POPOVER = "popover"
    INLINE = "inline"


class FieldTypes:
    """Names of the field types."""

    TEXT, INTEGER, PASSWORD, FLOAT, BOOLEAN, DICT = "str", "int", "str", "float", "bool", "dict"
    NESTED_DICT, FILE, PROMPT, CODE, OTHER, TABLE = "NestedDict", "file", "prompt", "code", "other", "table"
    LINK, SLIDER, TAB, QUERY, TOOLS, MCP = "link", "slider", "tab", "query", "tools", "mcp"
