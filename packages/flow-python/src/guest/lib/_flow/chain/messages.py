"""Chat messages, as models take and give them."""


class BaseMessage:
    """A chat message."""

    type = "base"

    def __init__(self, content="", **more):
        self.content = content
        self.additional_kwargs = {}
        self.response_metadata = {}
        self.name = self.id = None
        self.__dict__.update(more)

    @property
    def text(self):
        if isinstance(self.content, str):
            return self.content
        return "".join(part if isinstance(part, str) else part.get("text", "") for part in self.content)

    def to_json(self):
        return {"type": self.type, "content": self.content}

    def model_dump(self, **_options):
        return {"type": self.type, **self.__dict__}

    def pretty_repr(self, **_options):
        return f"{self.type}: {self.text}"

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        return f"{type(self).__name__}(content={self.content!r})"


class HumanMessage(BaseMessage):
    type = "human"


class AIMessage(BaseMessage):
    type = "ai"

    def __init__(self, content="", tool_calls=(), usage_metadata=None, **more):
        super().__init__(content, tool_calls=list(tool_calls), usage_metadata=usage_metadata, **more)


class AIMessageChunk(AIMessage):
    """A piece of an answer; pieces are joined with `+`."""

    def __add__(self, other):
        return AIMessageChunk(
            content=self.content + other.content,
            tool_calls=[*self.tool_calls, *other.tool_calls],
            usage_metadata=other.usage_metadata or self.usage_metadata,
        )


class SystemMessage(BaseMessage):
    type = "system"


class ToolMessage(BaseMessage):
    type = "tool"


class FunctionMessage(BaseMessage):
    type = "function"


class ChatMessage(BaseMessage):
    type = "chat"


_KINDS = {"system": SystemMessage, "ai": AIMessage, "assistant": AIMessage, "human": HumanMessage, "user": HumanMessage}


def message_of(item):
    """Return the message of a text, of a pair of role and text, or of a dict with `role` and `content`."""
    if isinstance(item, str):
        return HumanMessage(content=item)
    if isinstance(item, dict) and "content" in item:
        item = (item.get("role") or item.get("type") or "user", item["content"])
    if isinstance(item, (tuple, list)) and len(item) == 2:
        kind = _KINDS.get(item[0])
        if kind is None:
            raise ValueError(f"Unexpected message type: '{item[0]}'. Use one of 'human', 'user', 'ai', 'assistant', or 'system'.")
        return kind(content=item[1])
    return item


def convert_to_messages(items):
    return [message_of(item) for item in items]


def get_buffer_string(messages, human_prefix="Human", ai_prefix="AI"):
    names = {"human": human_prefix, "ai": ai_prefix, "system": "System", "tool": "Tool", "function": "Function"}
    return "\n".join(f"{names.get(one.type, one.type)}: {one.text}" for one in messages)
