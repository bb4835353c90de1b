"""Format errors for the author: the exception and the relevant lines of the author's source."""

FILE = "<component>"


def describe(error):
    """Return the type, the message, and the deepest line of the author's source in the traceback."""
    line = function = None
    if isinstance(error, SyntaxError) and error.filename == FILE:
        line = error.lineno
        message = f"{error.msg} (line {error.lineno})"
    else:
        frame = error.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code
            if code.co_filename == FILE:
                line, function = frame.tb_lineno, code.co_name
            frame = frame.tb_next
        message = _text(error)
    where = "" if line is None or isinstance(error, SyntaxError) else f" (line {line}, {function})"
    name = type(error).__name__
    return {"message": message, "place": where, "where": f"{name}: {message}{where}"}


def _text(error):
    try:
        if isinstance(error, KeyError) and len(error.args) == 1:
            return repr(error.args[0])
        text = str(error)
    except BaseException:
        text = ""
    return text or type(error).__name__
