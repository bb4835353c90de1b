class BaseMessage:
    """A chat message."""

    type = "base"

    def __init__(self, content="", **more):
        self.content = content
        self.additional_kwargs = {}
        self.__dict__.update(more)

    @property
    def text(self):
        return self.content

    def to_json(self):
        return {"type": self.type, "content": self.content}

    def __repr__(self):
        return f"{type(self).__name__}(content={self.content!r})"


class HumanMessage(BaseMessage):
    type = "human"


class AIMessage(BaseMessage):
    type = "ai"

    def __init__(self, content="", tool_calls=(), usage_metadata=None, **more):
        super().__init__(content, tool_calls=list(tool_calls), usage_metadata=usage_metadata, **more)


class SystemMessage(BaseMessage):
    type = "system"


class ToolMessage(BaseMessage):
    type = "tool"


class FunctionMessage(BaseMessage):
    type = "function"
