"""Helpers that components import besides the component classes."""

import json

from _flow.component import Component as _Component
from _flow.schema import Data as _Data
from _flow.schema import Message as _Message
from _flow.table import DataFrame as _DataFrame

MESSAGE_SENDER_AI = "Machine"
MESSAGE_SENDER_USER = "User"
MESSAGE_SENDER_NAME_AI = "AI"
MESSAGE_SENDER_NAME_USER = "User"
TEXT_FILE_TYPES = "txt md mdx csv json yaml yml xml html htm pdf docx py sh sql js ts tsx".split()
IMG_FILE_TYPES = "jpg jpeg png bmp image".split()


def data_to_text(template, data, sep="\n"):
    items = [data] if isinstance(data, _Data) else list(data)
    return sep.join(template.format(data=item.get_text(), **_keys(item)) for item in items)


def data_to_text_list(template, data):
    items = [data] if isinstance(data, _Data) else list(data)
    return [template.format(**_keys(item)) for item in items], items


def _keys(item):
    values = {key: value for key, value in item.data.items() if key != "data"}
    values.setdefault("text", item.get_text())
    return values


def docs_to_data(documents):
    return [_Data.from_document(document) for document in documents]


messages_to_text = records_to_text = data_to_text
docs_to_records = docs_to_data


def safe_convert(data, clean_data=False):
    if isinstance(data, str):
        return data
    if isinstance(data, _Message):
        return data.get_text()
    if isinstance(data, _Data):
        return "```json\n" + json.dumps(data.data, indent=2, ensure_ascii=False, default=str) + "\n```"
    if isinstance(data, _DataFrame):
        return data.to_markdown(index=False)
    return str(data)


def set_field_display(build_config, field, value=None):
    if field in build_config and isinstance(build_config[field], dict) and "show" in build_config[field]:
        build_config[field]["show"] = value
    return build_config


def set_multiple_field_display(build_config, fields=None, value=None, field_list=None):
    for field in fields or {}:
        set_field_display(build_config, field, fields[field])
    for field in field_list or []:
        set_field_display(build_config, field, value)
    return build_config


def set_field_advanced(build_config, field, value=None):
    if field in build_config and isinstance(build_config[field], dict):
        build_config[field]["advanced"] = bool(value)
    return build_config


def set_current_fields(build_config, action_fields, selected_action=None, default_fields=(), func=set_field_display, default_value=None):
    always = set(default_fields)
    for action, fields in action_fields.items():
        for field in fields:
            if field not in always:
                func(build_config, field, action == selected_action if default_value is None else not default_value)
    for field in action_fields.get(selected_action, ()):
        func(build_config, field, True if default_value is None else default_value)
    return build_config


def unescape_string(text):
    return text.replace("\\n", "\n")


def run_until_complete(coroutine):
    from _flow import loop

    return loop.run(coroutine)


class TextComponent(_Component):
    """A component that returns text."""

    display_name = "Text Component"


class ChatComponent(_Component):
    """A component that returns a chat message."""

    display_name = "Chat Component"

    def get_properties_from_source_component(self):
        """Model, icon, display name and id of what the message comes from; None for each that nobody told."""
        properties = getattr(getattr(self, "input_value", None), "properties", None)
        source = getattr(properties, "source", None)
        names = [getattr(source, name, None) or None for name in ("source", "display_name", "id")]
        return names[0], getattr(properties, "icon", None) or None, names[1], names[2]
