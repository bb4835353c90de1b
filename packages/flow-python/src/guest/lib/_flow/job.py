"""Run the single job of an interpreter."""

import io
import os
import random
import sys

from _flow import channel, component, kept, loop, reader, trace, values
from _flow.component import is_coroutine

_STDOUT = 64 * 1024
_ENVIRONMENT = {"HOME", "PATH", "LANG", "TMPDIR", "TZ"}


class _Output(io.TextIOBase):
    """Keep the beginning of the printed output."""

    encoding = "utf-8"

    def __init__(self):
        self.parts, self.length = [], 0

    def writable(self):
        return True

    def write(self, text):
        room = _STDOUT - self.length
        if room > 0:
            self.parts.append(text[:room])
            self.length += len(self.parts[-1])
        return len(text)

    def text(self):
        return "".join(self.parts)


def main():
    out, err = _Output(), _Output()
    sys.stdout, sys.stderr = out, err
    sys.__stdout__, sys.__stderr__ = out, err
    try:
        job = channel.job()
        _prepare(job)
        result = {"ok": _WORK[job["op"]](job)}
    except MemoryError:
        result = {"memory": True}
    except BaseException as error:
        result = {"error": trace.describe(error), "unfit": isinstance(error, reader.Unfit)}
    result["stdout"], result["stderr"] = out.text(), err.text()
    try:
        channel.finish(result)
    except MemoryError:
        channel.finish({"memory": True})


def _prepare(job):
    loop.install()
    for name in set(os.environ) - _ENVIRONMENT:
        del os.environ[name]
    os.environ.update(job.get("environment") or {})
    if job["op"] == "kept":
        return
    random.seed(job["seed"])
    for file in job.get("files") or []:
        import base64

        os.makedirs(os.path.dirname(file["path"]), exist_ok=True)
        with open(file["path"], "wb") as opened:
            opened.write(base64.b64decode(file["content"]))


def _describe(job):
    return values.encode(reader.describe(reader.load(job["code"])))


def _instance(job):
    cls = reader.load(job["code"])
    context = job.get("context") or {}
    instance = cls(**{f"_{key}": value for key, value in context.items()})
    for name, value in (job.get("values") or {}).items():
        declared = instance._inputs.get(name)
        empty = component._empty(declared) if value is None and declared is not None else None
        instance._attributes[name] = empty if value is None else values.decode(value)
        instance.__dict__.pop(name, None)
    return instance


def _run(job):
    instance = _instance(job)
    instance._pre_run_setup()
    made = {}
    for output in job["outputs"]:
        instance.__dict__["_current_output"] = output["name"]
        made[output["name"]] = values.encode(_call(instance, output["method"]))
    return made


def _call(instance, name):
    first_kind = reader.is_first_kind(type(instance))
    if first_kind and not callable(getattr(type(instance), name, None)):
        name = "build"
    method = getattr(instance, name, None)
    if method is None:
        raise reader.Unfit(f"{type(instance).__name__} has no method {name}")
    given = {}
    if first_kind and name == "build":
        import inspect

        known = inspect.signature(method).parameters
        given = {key: getattr(instance, key) for key in known if key in instance._attributes}
    try:
        result = method(**given)
        return loop.run(result) if is_coroutine(result) else result
    except TypeError as error:
        raise TypeError(f'Error running method "{name}": {error}').with_traceback(
            error.__traceback__
        ) from error


def _update(job):
    from _flow.schema import dotdict

    instance = _instance(job)
    template = dotdict(values.decode(job["template"]))
    field, value = job["field"], values.decode(job["value"])
    if field in template or type(instance).update_build_config is not reader.Component.update_build_config:
        changed = instance.update_build_config(template, value, field)
        if is_coroutine(changed):
            changed = loop.run(changed)
        template = template if changed is None else changed
    node = {"template": template, "outputs": values.decode(job["outputs"])}
    changed = instance.update_outputs(node, field, value)
    if is_coroutine(changed):
        changed = loop.run(changed)
    node = node if changed is None else changed
    outputs = [reader._output(type(instance), one) if hasattr(one, "model_dump") else one for one in node["outputs"]]
    return values.encode({"template": dict(template), "outputs": outputs})


def _kept(job):
    return values.encode(kept.call(job["number"], job["method"], values.decode(job["args"])))


_WORK = {"kept": _kept, "describe": _describe, "run": _run, "update": _update}
