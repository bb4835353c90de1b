"""Tools: functions with a name, a description and a schema of their arguments."""

import inspect

from _flow import loop
from _flow.chain.runnables import Runnable
from pydantic.fields import FieldInfo


class ToolException(Exception):
    """An error of a tool that the model is to read."""


class BaseTool(Runnable):
    """A tool. Authors derive from it and write `_run` or `_arun`."""

    name = None
    description = ""
    args_schema = None
    return_direct = False
    handle_tool_error = False

    def __init__(self, **given):
        # Fields declared on the class have their default, as in a pydantic model.
        for base in reversed(type(self).__mro__):
            for key, value in list(base.__dict__.items()):
                if isinstance(value, FieldInfo) and not value.is_required():
                    setattr(self, key, value.get_default())
        for key, value in given.items():
            setattr(self, key, value)

    def _run(self, *args, **kwargs):
        return loop.run(self._arun(*args, **kwargs))

    async def _arun(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no method _run")

    @property
    def args(self):
        from _flow.tool_spec import spec_of

        return spec_of(self)["parameters"].get("properties", {})

    def get_input_schema(self, config=None):
        return self.args_schema

    def invoke(self, input=None, config=None, **kwargs):
        if isinstance(input, dict) and input.get("type") == "tool_call":
            input = input.get("args")
        return self.run(input, **kwargs)

    async def arun(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def run(self, given=None, *_args, **more):
        try:
            result = self._call(given, more)
            return loop.run(result) if inspect.isawaitable(result) else result
        except ToolException as error:
            handle = self.handle_tool_error
            if not handle:
                raise
            return handle(error) if callable(handle) else handle if isinstance(handle, str) else str(error)

    def _call(self, given, more):
        if isinstance(given, dict):
            return self._run(**self._checked({**given, **more}))
        return self._run(**self._checked(more)) if given is None else self._run(given, **more)

    def _checked(self, given):
        """Validate arguments by the schema, whose defaults are then set."""
        schema = self.args_schema
        if not isinstance(schema, type) or not hasattr(schema, "model_validate"):
            return given
        checked = schema.model_validate(given)
        made = {}
        for name, info in schema.model_fields.items():
            if name in given or (info.alias or name) in given or not info.is_required():
                made[name] = getattr(checked, name)
        return made

    def __call__(self, given=None, **more):
        return self.run(given, **more)


class StructuredTool(BaseTool):
    """A function with several arguments as a tool."""

    def __init__(self, name=None, description="", func=None, args_schema=None, coroutine=None, **more):
        super().__init__(name=name, description=description, func=func, args_schema=args_schema, coroutine=coroutine, **more)

    @classmethod
    def from_function(cls, func=None, coroutine=None, name=None, description=None, **more):
        source = func or coroutine
        if source is None:
            raise ValueError("Function and/or coroutine must be provided")
        text = description or inspect.getdoc(source) or ""
        return cls(name=name or source.__name__, description=text, func=func, coroutine=coroutine, **more)

    def _run(self, *args, **kwargs):
        if self.func is not None:
            return self.func(*args, **kwargs)
        return self.coroutine(*args, **kwargs)


class Tool(StructuredTool):
    """A function with one text as a tool."""

    def __init__(self, name=None, func=None, description="", **more):
        super().__init__(name=name, description=description, func=func, **more)

    def _call(self, given, more):
        if isinstance(given, dict) and self.args_schema is None:
            values = list(given.values())
            given, more = (values[0] if values else ""), {}
            return self._run(given)
        return super()._call(given, more)


def tool(given=None, *_args, **options):
    """Make a tool of a function; the name, the schema and `return_direct` may be given."""

    def make(func, name=None):
        role = "coroutine" if inspect.iscoroutinefunction(func) else "func"
        kept = {key: value for key, value in options.items() if key in ("args_schema", "return_direct", "description")}
        return StructuredTool.from_function(**{role: func}, name=name, **kept)

    if callable(given):
        return make(given)
    return lambda func: make(func, given)


def render_text_description(tools):
    return "\n".join(f"{one.name} - {one.description}" for one in tools)
