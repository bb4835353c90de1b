"""Tables as text."""

from pandas.series import is_na, kind_of


def _cell(value):
    if is_na(value):
        return "" if value is None else "nan"
    return f"{value:g}" if isinstance(value, float) else str(value)


def markdown(frame, index):
    """Format a table as Markdown, with padded columns and right-aligned numbers."""
    table = dict(frame._table)
    columns = [(str(name), values) for name, values in table.items()]
    if index:
        columns.insert(0, ("", list(frame._labels)))
    drawn = [_draw(name, values) for name, values in columns]
    heads = " | ".join(name.rjust(w) if right else name.ljust(w) for name, _, w, right in drawn)
    rule = "|".join("-" * (w + 1) + ":" if right else ":" + "-" * (w + 1) for _, _, w, right in drawn)
    lines = [f"| {heads} |", f"|{rule}|"]
    for at in range(len(frame)):
        cells = (cells[at].rjust(w) if right else cells[at].ljust(w) for _, cells, w, right in drawn)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _draw(name, values):
    right = kind_of(values) in ("int64", "float64")
    cells = [_cell(value) for value in values]
    if kind_of(values) == "float64":
        after = [len(cell) - cell.index(".") if "." in cell else 0 for cell in cells]
        most = max(after, default=0)
        cells = [cell + " " * (most - own) for cell, own in zip(cells, after)]
    return name, cells, max([len(name) + 2, *map(len, cells)]), right


def plain_text(frame, index):
    """Format a table as aligned columns, as `print` shows it."""
    columns = [(str(name), [_printed(value) for value in values]) for name, values in frame._table.items()]
    if index:
        columns.insert(0, ("", [str(label) for label in frame._labels]))
    lines = []
    for at in range(-1, len(frame)):
        cells = []
        for place, (name, values) in enumerate(columns):
            width = max([len(name), *map(len, values)])
            text = name if at < 0 else values[at]
            cells.append(text.ljust(width) if index and place == 0 else text.rjust(width))
        lines.append(" ".join(cells) if not index else "  ".join(cells))
    return "\n".join(lines)


def _printed(value):
    if is_na(value):
        return "NaN" if value is not None else "None"
    return str(value)
