"""Text splitters, as components use them."""

import re
from collections import deque

from _flow.chain.documents import Document


class TextSplitter:
    """Joins pieces of text into chunks of at most `chunk_size`, repeating up to `chunk_overlap`."""

    def __init__(self, chunk_size=4000, chunk_overlap=200, length_function=len, keep_separator=False, strip_whitespace=True, add_start_index=False):
        if chunk_overlap > chunk_size:
            raise ValueError(f"Got a larger chunk overlap ({chunk_overlap}) than chunk size ({chunk_size}), should be smaller.")
        self._chunk_size, self._chunk_overlap = chunk_size, chunk_overlap
        self._length, self._keep, self._strip = length_function, keep_separator, strip_whitespace
        self._add_start_index = add_start_index

    def split_text(self, text):
        raise NotImplementedError

    def create_documents(self, texts, metadatas=None):
        made = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts)):
            at = 0
            for chunk in self.split_text(text):
                own = dict(metadata)
                if self._add_start_index:
                    at = own["start_index"] = text.find(chunk, max(0, at))
                made.append(Document(page_content=chunk, metadata=own))
        return made

    def split_documents(self, documents):
        listed = list(documents)
        return self.create_documents([one.page_content for one in listed], [one.metadata for one in listed])

    transform_documents = split_documents

    def _merge(self, pieces, separator):
        chunks, kept, total, gap = [], deque(), 0, self._length(separator)
        for piece in pieces:
            size = self._length(piece)
            if kept and total + size + gap > self._chunk_size:
                self._add(chunks, separator.join(kept))
                while kept and (total > self._chunk_overlap or total + size + gap > self._chunk_size):
                    total -= self._length(kept.popleft()) + (gap if kept else 0)
            total += size + (gap if kept else 0)
            kept.append(piece)
        self._add(chunks, separator.join(kept))
        return chunks

    def _add(self, chunks, text):
        text = text.strip() if self._strip else text
        if text:
            chunks.append(text)

    def _pieces(self, text, separator):
        if not separator:
            return list(text)
        if not self._keep:
            return [piece for piece in text.split(separator) if piece]
        parts = text.split(separator)
        if self._keep == "end":
            return [piece for piece in [*(part + separator for part in parts[:-1]), parts[-1]] if piece]
        return [piece for piece in [parts[0], *(separator + part for part in parts[1:])] if piece]


class CharacterTextSplitter(TextSplitter):
    """Splits at one separator."""

    def __init__(self, separator="\n\n", is_separator_regex=False, **more):
        super().__init__(**more)
        self._separator, self._is_pattern = separator, is_separator_regex

    def split_text(self, text):
        if self._is_pattern:
            return self._merge([piece for piece in re.split(self._separator, text) if piece], "")
        return self._merge(self._pieces(text, self._separator), "" if self._keep else self._separator)


class RecursiveCharacterTextSplitter(TextSplitter):
    """Splits at the first separator that occurs, and long pieces at the next ones."""

    def __init__(self, separators=None, keep_separator=True, is_separator_regex=False, **more):
        super().__init__(keep_separator=keep_separator, **more)
        self._separators = separators or ["\n\n", "\n", " ", ""]

    def split_text(self, text):
        return self._split(text, self._separators)

    def _split(self, text, separators):
        at = next((index for index, one in enumerate(separators) if one == "" or one in text), len(separators) - 1)
        separator, further = separators[at], separators[at + 1 :]
        joint = "" if self._keep else separator
        chunks, small = [], []
        for piece in self._pieces(text, separator):
            if self._length(piece) < self._chunk_size:
                small.append(piece)
                continue
            if small:
                chunks += self._merge(small, joint)
                small = []
            chunks += self._split(piece, further) if further else [piece]
        return chunks + (self._merge(small, joint) if small else [])


class TokenTextSplitter(TextSplitter):
    """Splits by tokens; a token is a word here, with the blanks behind it."""

    def __init__(self, encoding_name="gpt2", model_name=None, chunk_size=4000, chunk_overlap=200, **more):
        super().__init__(chunk_size=chunk_size, chunk_overlap=chunk_overlap, **more)

    def split_text(self, text):
        words = re.findall(r"\s*\S+\s*?(?=\s|$)", text)
        step = max(1, self._chunk_size - self._chunk_overlap)
        chunks = []
        for at in range(0, len(words), step):
            self._add(chunks, "".join(words[at : at + self._chunk_size]))
            if at + self._chunk_size >= len(words):
                break
        return chunks


class MarkdownHeaderTextSplitter:
    """Splits Markdown at its headers, which become metadata."""

    def __init__(self, headers_to_split_on, return_each_line=False, strip_headers=True):
        self._headers = sorted(headers_to_split_on, key=lambda one: len(one[0]), reverse=True)
        self._each_line, self._strip = return_each_line, strip_headers

    def split_text(self, text):
        parts, stack, lines, fence = [], [], [], None

        def flush():
            if lines:
                parts.append(("\n".join(lines), {name: title for _, name, title in stack}))
                lines.clear()

        for line in text.split("\n"):
            line = "".join(one for one in line.strip() if one.isprintable())
            mark = line[:3] if line[:3] in ("```", "~~~") else None
            if fence is None and mark and line.count(mark) == 1:
                fence = mark
            elif fence is not None and mark == fence:
                fence = None
            header = None if fence is not None else self._header(line)
            if header is not None:
                flush()
                level = len(header[0])
                stack[:] = [one for one in stack if one[0] < level]
                stack.append((level, header[1], line[level:].strip()))
                if not self._strip:
                    lines.append(line)
            elif line or fence is not None:
                lines.append(line)
            else:
                flush()
        flush()
        if self._each_line:
            return [Document(page_content=content, metadata=own) for content, own in parts]
        return self._joined(parts)

    def _header(self, line):
        return next(
            (one for one in self._headers if line.startswith(one[0]) and (len(line) == len(one[0]) or line[len(one[0])] == " ")),
            None,
        )

    def _joined(self, parts):
        made = []
        for content, own in parts:
            last = made[-1] if made else None
            if last is not None and last.metadata == own:
                last.page_content += "  \n" + content
            elif last is not None and not self._strip and len(last.metadata) < len(own) and last.page_content.split("\n")[-1].startswith("#"):
                # A header with nothing but a deeper header below it stays with that.
                last.page_content += "  \n" + content
                last.metadata = own
            else:
                made.append(Document(page_content=content, metadata=own))
        return made
