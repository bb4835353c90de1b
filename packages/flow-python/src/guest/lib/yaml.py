"""safe_load and dump for hand-written YAML: blocks, lists, scalars, inline JSON."""

import json as _json
import re as _re


class YAMLError(Exception):
    pass


class SafeLoader:
    pass


FullLoader = Loader = SafeLoader
_WORDS = {"true": True, "false": False, "null": None, "~": None, "yes": True, "no": False, "": None}
_KEY = _re.compile(r"^(\"[^\"]*\"|'[^']*'|[^\s#\-\[\]{}&*!|>'\"%@`][^#:]*|-[^\s:][^:]*)\s*:(\s+|$)")


def safe_load(text):
    text = text.read() if hasattr(text, "read") else text
    text = text.decode() if isinstance(text, bytes) else text
    lines = []
    for line in text.splitlines():
        if line.strip() in ("---", "..."):
            continue
        lines.append(line.rstrip())
    reader = _Reader(lines)
    return reader.block(0)


def load(text, Loader=None):
    return safe_load(text)


class _Reader:
    def __init__(self, lines):
        self.lines, self.at = lines, 0

    def _next(self):
        while self.at < len(self.lines):
            stripped = self.lines[self.at].strip()
            if stripped and not stripped.startswith("#"):
                line = self.lines[self.at]
                return len(line) - len(line.lstrip(" ")), stripped
            self.at += 1
        return None

    def block(self, least):
        found = self._next()
        if found is None or found[0] < least:
            return None
        indent, text = found
        if text == "-" or text.startswith("- "):
            return self._list(indent)
        if _KEY.match(text):
            return self._map(indent)
        self.at += 1
        return _scalar(text)

    def _list(self, indent):
        made = []
        while (found := self._next()) and found[0] == indent and (found[1] == "-" or found[1].startswith("- ")):
            rest = found[1][1:].strip()
            if not rest:
                self.at += 1
                made.append(self.block(indent + 1))
            elif _KEY.match(rest) or rest.startswith("- "):
                inner = indent + len(found[1]) - len(found[1][1:].lstrip()) 
                self.lines[self.at] = " " * inner + rest
                made.append(self.block(inner))
            else:
                self.at += 1
                made.append(self._value(rest, indent))
        return made

    def _map(self, indent):
        made = {}
        while (found := self._next()) and found[0] == indent and (match := _KEY.match(found[1])):
            key, rest = _scalar(match.group(1)), found[1][match.end() :].strip()
            self.at += 1
            following = self._next()
            if rest and not rest.startswith("#"):
                made[key] = self._value(rest, indent)
            elif following and following[0] == indent and following[1].startswith("-"):
                made[key] = self._list(indent)
            else:
                made[key] = self.block(indent + 1)
        found = self._next()
        if found and found[0] > indent:
            raise YAMLError(f"line {self.at + 1} cannot be read: {found[1]}")
        return made

    def _value(self, text, indent):
        if text[0] not in "|>":
            return _scalar(text)
        parts = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            parts.append(line)
            self.at += 1
        margin = min((len(part) - len(part.lstrip(" ")) for part in parts if part.strip()), default=0)
        body = [part[margin:] for part in parts]
        joined = ("\n" if text[0] == "|" else " ").join(body).rstrip()
        return joined if text.endswith("-") else joined + "\n"


def _scalar(text):
    text = text.strip()
    if text[:1] in "\"'":
        end = text.find(text[0], 1)
        if text[0] == '"':
            return _json.loads(text[: text.rfind('"') + 1])
        return text[1:-1].replace("''", "'") if end > 0 else text
    text = _re.split(r"\s#", text)[0].strip()
    if text[:1] == "[":
        return [_scalar(part) for part in _parts(text[1:-1])]
    if text[:1] == "{":
        return {_scalar(part.partition(":")[0]): _scalar(part.partition(":")[2]) for part in _parts(text[1:-1])}
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (lambda t: int(t.replace("_", ""), 0), float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _parts(text):
    made, depth, start, quote = [], 0, 0, None
    for at, char in enumerate(text):
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif char == "," and depth == 0:
            made.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return made + [last] if last else made


def dump(value, stream=None, sort_keys=True, default_flow_style=False, **_options):
    text = "\n".join(_lines(value, sort_keys)) + "\n"
    return stream.write(text) and None if stream is not None else text


safe_dump = dump


def _lines(value, sort_keys):
    if isinstance(value, dict) and value:
        keys = sorted(value) if sort_keys else value
        made = []
        for key in keys:
            item = value[key]
            if isinstance(item, (dict, list)) and item:
                deeper = "  " if isinstance(item, dict) else ""
                made += [f"{_plain(key)}:", *(deeper + line for line in _lines(item, sort_keys))]
            else:
                made.append(f"{_plain(key)}: {_plain(item)}")
        return made
    if isinstance(value, list) and value:
        made = []
        for item in value:
            first, *rest = _lines(item, sort_keys)
            made += [f"- {first}", *(f"  {line}" for line in rest)]
        return made
    return [_plain(value)]


def _plain(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        try:
            safe = _scalar(value) == value and "\n" not in value and ": " not in value and not value.startswith(("-", "#"))
        except Exception:
            safe = False
        return value if safe else _json.dumps(value, ensure_ascii=False)
    return _json.dumps(value) if isinstance(value, (dict, list)) else str(value)
