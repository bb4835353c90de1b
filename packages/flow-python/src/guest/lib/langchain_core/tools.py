import inspect


class StructuredTool:
    """A function with a name and a description."""

    def __init__(self, name, description, func, args_schema=None, coroutine=None, **_more):
        self.name, self.description, self.func = name, description, func
        self.args_schema, self.coroutine = args_schema, coroutine

    @classmethod
    def from_function(cls, func=None, name=None, description=None, **more):
        return cls(name or func.__name__, description or inspect.getdoc(func) or "", func, **more)

    def run(self, given=None, **more):
        return self.func(**{**(given if isinstance(given, dict) else {}), **more})

    invoke = run


Tool = BaseTool = StructuredTool


def tool(given=None, **options):
    if callable(given):
        return StructuredTool.from_function(given)
    return lambda func: StructuredTool.from_function(func, name=given, **options)
