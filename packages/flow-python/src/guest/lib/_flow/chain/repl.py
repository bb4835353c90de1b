"""Runs code that a component is given."""

import contextlib
import io


class PythonREPL:
    """Keeps the names of earlier code; `run` gives what the code printed, or the error."""

    def __init__(self, _globals=None, _locals=None, **names):
        self.globals = names.get("globals") or _globals or {}
        self.locals = names.get("locals") or _locals or {}

    def run(self, command, timeout=None):
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(command.strip().strip("`").removeprefix("python"), self.globals, self.locals)  # noqa: S102
        except Exception as error:  # noqa: BLE001
            return repr(error)
        return printed.getvalue()
