"""A light replacement for pandas, with rows and columns as lists."""

from pandas.frame import DataFrame, concat, merge
from pandas.series import NA, Series, isna, missing, notna

isnull, notnull = isna, notna
NaT = None
__version__ = "0"


def __getattr__(name):
    raise missing(name)


def to_numeric(values, errors="raise"):
    def number(value):
        try:
            return float(value) if "." in str(value) else int(value)
        except (TypeError, ValueError):
            if errors == "raise":
                raise
            return NA if errors == "coerce" else value

    return Series([number(value) for value in values])


def read_csv(source, sep=",", **_options):
    import csv
    import io

    opened = source if hasattr(source, "read") else open(source, newline="")
    rows = list(csv.reader(io.StringIO(opened.read()), delimiter=sep))
    header, *rest = rows or [[]]

    def typed(text):
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                pass
        return NA if text == "" else text

    return DataFrame([dict(zip(header, map(typed, row))) for row in rest], columns=header)
