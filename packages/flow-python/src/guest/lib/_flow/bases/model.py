"""The base class of components that make a chat model."""

from _flow.chain.parsers import StrOutputParser
from _flow.component import Component
from _flow.inputs import BoolInput, MessageInput, MultilineInput, Output
from _flow.kinds import LanguageModel
from _flow.schema import Message


class Answer(Message):
    """A message that may be awaited, because components call its method both ways."""

    def __await__(self):
        return self
        yield


class LCModelComponent(Component):
    """A component with a model: it answers its input and gives the model to others."""

    display_name = "Model Name"
    description = "Model Description"
    trace_type = "llm"
    _base_inputs = [
        MessageInput(name="input_value", display_name="Input"),
        MultilineInput(name="system_message", display_name="System Message", info="System message for the model.", advanced=False),
        BoolInput(name="stream", display_name="Stream", info="Show the answer while it is written.", value=False, advanced=True),
    ]
    inputs = _base_inputs
    outputs = [
        Output(name="text_output", display_name="Model Response", method="text_response"),
        Output(name="model_output", display_name="Language Model", method="build_model"),
    ]

    def build_model(self) -> LanguageModel:
        raise NotImplementedError("Implement build_model")

    def text_response(self) -> Message:
        return self.get_chat_result(
            runnable=self.build_model(),
            stream=getattr(self, "stream", False),
            input_value=getattr(self, "input_value", None),
            system_message=getattr(self, "system_message", None),
        )

    def get_chat_result(self, *, runnable, stream=False, input_value=None, system_message=None, **_more):
        """Ask the model with the system message and the input; return the answer as a message."""
        asked = [*_system(system_message), *_question(input_value)]
        if not asked:
            raise ValueError("The message you want to send to the model is empty.")
        parser = getattr(self, "output_parser", None) or StrOutputParser()
        steps = runnable | parser
        text = steps.stream(asked) if stream else steps.invoke(asked)
        if not stream:
            self.status = text
        return Answer(text=text)

    def get_result(self, *, runnable, stream, input_value, **_more):
        return self.get_chat_result(runnable=runnable, stream=stream, input_value=input_value)

    def supports_tool_calling(self, model):
        return hasattr(model, "bind_tools")


def _system(text):
    text = text.get_text() if isinstance(text, Message) else text
    return [("system", str(text))] if text else []


def _question(value):
    if isinstance(value, Message):
        role = "ai" if value.sender == "Machine" else "human"
        text = value.get_text()
        if not isinstance(text, (str, type(None))):
            text = "".join(text)
        if value.files:
            return [(role, [{"type": "text", "text": text or ""}, *value.get_file_content_dicts()])]
        return [(role, text)] if text else []
    if isinstance(value, list):
        return value
    return [("human", str(value))] if value else []
