"""Parsers of a model's answer."""

import json
import re

from _flow.chain.runnables import Runnable


class OutputParserException(ValueError):
    """An answer that a parser cannot read."""


class BaseOutputParser(Runnable):
    """A parser. Authors derive from it and write `parse`."""

    def parse(self, text):
        raise NotImplementedError(f"{type(self).__name__} has no method parse")

    def invoke(self, input, config=None, **kwargs):
        text = getattr(input, "content", input)
        return self.parse(text if isinstance(text, str) else getattr(input, "text", str(input)))

    def get_format_instructions(self):
        return ""


class StrOutputParser(BaseOutputParser):
    passes_pieces = True

    def parse(self, text):
        return text


class JsonOutputParser(BaseOutputParser):
    def __init__(self, pydantic_object=None, **_more):
        self.pydantic_object = pydantic_object

    def parse(self, text):
        block = re.search(r"```(?:json)?\s*\n?(.*?)```", text, re.DOTALL)
        try:
            return json.loads((block.group(1) if block else text).strip())
        except ValueError as error:
            raise OutputParserException(f"Invalid json output: {text}") from error

    def get_format_instructions(self):
        if self.pydantic_object is None:
            return "Return a JSON object."
        return f"Return a JSON object that conforms to this JSON schema:\n{json.dumps(self.pydantic_object.model_json_schema())}"


class PydanticOutputParser(JsonOutputParser):
    def parse(self, text):
        value = super().parse(text)
        try:
            return self.pydantic_object.model_validate(value)
        except ValueError as error:
            raise OutputParserException(f"Failed to parse {self.pydantic_object.__name__} from completion {text}. Got: {error}") from error


class CommaSeparatedListOutputParser(BaseOutputParser):
    def parse(self, text):
        return [part.strip() for part in text.split(",")]
