"""Steps that can be joined with `|`."""

import inspect

from _flow import loop


class Runnable:
    """Something with `invoke`; the other ways to call it are derived from that."""

    def invoke(self, input, config=None, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no method invoke")

    async def ainvoke(self, input, config=None, **kwargs):
        return self.invoke(input, config, **kwargs)

    def stream(self, input, config=None, **kwargs):
        yield self.invoke(input, config, **kwargs)

    async def astream(self, input, config=None, **kwargs):
        for piece in self.stream(input, config, **kwargs):
            yield piece

    def batch(self, inputs, config=None, **kwargs):
        return [self.invoke(one, config, **kwargs) for one in inputs]

    async def abatch(self, inputs, config=None, **kwargs):
        return self.batch(inputs, config, **kwargs)

    def bind(self, **kwargs):
        return RunnableBinding(self, kwargs)

    def with_config(self, config=None, **_more):
        return self

    def with_retry(self, **_options):
        return self

    def pipe(self, *others):
        made = self
        for other in others:
            made = made | other
        return made

    def __or__(self, other):
        return RunnableSequence(self, as_runnable(other))

    def __ror__(self, other):
        return RunnableSequence(as_runnable(other), self)


class RunnableSequence(Runnable):
    """Steps of which each gets the result of the one before."""

    def __init__(self, *steps, **_more):
        self.steps = [part for step in steps for part in (step.steps if isinstance(step, RunnableSequence) else [step])]
        self.first, self.last = self.steps[0], self.steps[-1]

    def invoke(self, input, config=None, **kwargs):
        for step in self.steps:
            input = step.invoke(input)
        return input

    def stream(self, input, config=None, **kwargs):
        """Stream the last step that can; parsers of text pass pieces on."""
        steps = list(self.steps)
        after = []
        while len(steps) > 1 and getattr(steps[-1], "passes_pieces", False):
            after.insert(0, steps.pop())
        for step in steps[:-1]:
            input = step.invoke(input)
        for piece in steps[-1].stream(input):
            for step in after:
                piece = step.invoke(piece)
            yield piece


class RunnableBinding(Runnable):
    """A step with arguments that are added to each call."""

    def __init__(self, bound, kwargs):
        self.bound, self.kwargs = bound, dict(kwargs)

    def invoke(self, input, config=None, **kwargs):
        return self.bound.invoke(input, config, **{**self.kwargs, **kwargs})

    def stream(self, input, config=None, **kwargs):
        yield from self.bound.stream(input, config, **{**self.kwargs, **kwargs})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["bound"], name)


class RunnableLambda(Runnable):
    """A function as a step."""

    def __init__(self, func, afunc=None, name=None):
        self.func = func

    def invoke(self, input, config=None, **kwargs):
        result = self.func(input)
        if inspect.isawaitable(result):
            result = loop.run(result)
        return result.invoke(input) if isinstance(result, Runnable) else result


class RunnableParallel(Runnable):
    """Several steps on the same input, each under its name."""

    def __init__(self, steps__=None, **steps):
        self.steps__ = {name: as_runnable(step) for name, step in {**(steps__ or {}), **steps}.items()}

    def invoke(self, input, config=None, **kwargs):
        return {name: step.invoke(input) for name, step in self.steps__.items()}


class RunnablePassthrough(Runnable):
    """The input unchanged; `assign` adds keys to a dict."""

    def invoke(self, input, config=None, **kwargs):
        return input

    @classmethod
    def assign(cls, **steps):
        added = RunnableParallel(steps)
        return RunnableLambda(lambda given: {**given, **added.invoke(given)})


RunnableMap = RunnableParallel


def as_runnable(step):
    if isinstance(step, Runnable):
        return step
    if isinstance(step, dict):
        return RunnableParallel(step)
    if callable(step):
        return RunnableLambda(step)
    raise TypeError(f"Expected a Runnable, callable or dict. Instead got an unsupported type: {type(step)}")
