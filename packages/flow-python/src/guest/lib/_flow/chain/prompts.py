"""Prompts: texts and messages with named placeholders."""

import string

from _flow.chain.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, convert_to_messages
from _flow.chain.runnables import Runnable


def names_in(template):
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]


class PromptValue:
    """A filled prompt, as text or as messages."""

    def __init__(self, messages, text=None):
        self.messages, self._text = messages, text

    def to_messages(self):
        return self.messages

    def to_string(self):
        return self._text if self._text is not None else "\n".join(f"{one.type}: {one.text}" for one in self.messages)

    def __str__(self):
        return self.to_string()


StringPromptValue = ChatPromptValue = PromptValue


class BasePromptTemplate(Runnable):
    """A prompt; `partial` sets some of its placeholders."""

    def __init__(self):
        self.partial_variables = {}

    def _filled(self, values):
        return {**{key: value() if callable(value) else value for key, value in self.partial_variables.items()}, **values}

    def partial(self, **values):
        import copy

        made = copy.copy(self)
        made.partial_variables = {**self.partial_variables, **values}
        made.input_variables = [name for name in self.input_variables if name not in values]
        return made

    def invoke(self, input=None, config=None, **kwargs):
        if not isinstance(input, dict):
            input = {self.input_variables[0]: input} if len(self.input_variables) == 1 else {}
        return self.format_prompt(**{**input, **kwargs})


class PromptTemplate(BasePromptTemplate):
    """Text with named placeholders."""

    def __init__(self, template="", input_variables=None, partial_variables=None, **_more):
        super().__init__()
        self.template = template
        self.partial_variables = dict(partial_variables or {})
        names = sorted(set(names_in(template)) - set(self.partial_variables))
        self.input_variables = list(input_variables or names)

    @classmethod
    def from_template(cls, template, **more):
        return cls(template, **more)

    def format(self, **values):
        return self.template.format(**self._filled(values))

    def format_prompt(self, **values):
        text = self.format(**values)
        return PromptValue([HumanMessage(content=text)], text)


class _MessagePromptTemplate:
    """A message whose text has placeholders."""

    kind = HumanMessage

    def __init__(self, prompt=None, template=None, **_more):
        self.prompt = prompt if prompt is not None else PromptTemplate(template or "")

    @classmethod
    def from_template(cls, template, **more):
        return cls(PromptTemplate(template, **more))

    @property
    def input_variables(self):
        return self.prompt.input_variables

    def format_messages(self, **values):
        return [self.kind(content=self.prompt.format(**values))]

    def format(self, **values):
        return self.format_messages(**values)[0]


class HumanMessagePromptTemplate(_MessagePromptTemplate):
    kind = HumanMessage


class SystemMessagePromptTemplate(_MessagePromptTemplate):
    kind = SystemMessage


class AIMessagePromptTemplate(_MessagePromptTemplate):
    kind = AIMessage


class MessagesPlaceholder:
    """The place of a list of messages."""

    def __init__(self, variable_name, optional=False, n_messages=None, **_more):
        self.variable_name, self.optional, self.n_messages = variable_name, optional, n_messages

    @property
    def input_variables(self):
        return [] if self.optional else [self.variable_name]

    def format_messages(self, **values):
        if self.variable_name not in values:
            if self.optional:
                return []
            raise KeyError(self.variable_name)
        found = convert_to_messages(values[self.variable_name])
        return found[-self.n_messages :] if self.n_messages else found


_PLACES = {"system": SystemMessagePromptTemplate, "human": HumanMessagePromptTemplate, "user": HumanMessagePromptTemplate,
           "ai": AIMessagePromptTemplate, "assistant": AIMessagePromptTemplate}


def _place(item):
    if isinstance(item, str):
        return HumanMessagePromptTemplate.from_template(item)
    if isinstance(item, tuple):
        role, text = item
        if role == "placeholder":
            return MessagesPlaceholder(text.strip("{}"), optional=True)
        return _PLACES[role].from_template(text)
    return item


class ChatPromptTemplate(BasePromptTemplate):
    """Messages with placeholders."""

    def __init__(self, messages=(), **_more):
        super().__init__()
        self.messages = [_place(item) for item in messages]
        names = [name for one in self.messages for name in getattr(one, "input_variables", [])]
        self.input_variables = sorted(set(names))

    @classmethod
    def from_messages(cls, messages, **more):
        return cls(messages, **more)

    @classmethod
    def from_template(cls, template, **_more):
        return cls([template])

    def format_messages(self, **values):
        filled = self._filled(values)
        made = []
        for one in self.messages:
            if isinstance(one, BaseMessage):
                made.append(one)
            elif hasattr(one, "format_messages"):
                made.extend(one.format_messages(**filled))
            else:
                made.extend(convert_to_messages([one]))
        return made

    def format_prompt(self, **values):
        return PromptValue(self.format_messages(**values))

    def format(self, **values):
        return self.format_prompt(**values).to_string()

    def append(self, item):
        self.messages.append(_place(item))
