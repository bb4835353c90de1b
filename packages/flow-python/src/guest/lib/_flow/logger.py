"""A logger that writes to the node's logs, from level info upwards."""

from _flow import channel


class Logger:
    def _line(self, level, message, args, kwargs):
        text = str(message)
        try:
            text = text % args if args and "%" in text else text.format(*args, **kwargs) if args or kwargs else text
        except (TypeError, ValueError, KeyError, IndexError):
            pass
        channel.log(level, text)

    def _silent(self, *_args, **_kwargs):
        return None

    debug = trace = _silent
    add = remove = configure = _silent

    def bind(self, **_kwargs):
        return self

    opt = contextualize = bind

    async def _later(self):
        return None


def _method(level):
    def line(self, message, *args, **kwargs):
        self._line(level, message, args, kwargs)

    async def later(self, message, *args, **kwargs):
        self._line(level, message, args, kwargs)

    return line, later


for _level in ("info", "success", "warning", "error", "critical", "exception"):
    _now, _later = _method(_level)
    setattr(Logger, _level, _now)
    setattr(Logger, "a" + _level, _later)


async def _nothing(self, *_args, **_kwargs):
    return None


Logger.adebug = _nothing
logger = Logger()


def configure(*_args, **_kwargs):
    return None
