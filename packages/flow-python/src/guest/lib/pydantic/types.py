"""Additional field types, and the validation error."""

from typing import Annotated


class ValidationError(ValueError):
    def __init__(self, title, errors):
        self.title, self._errors = title, errors
        count = f"{len(errors)} validation error{'s' if len(errors) > 1 else ''} for {title}"
        lines = [f"{'.'.join(map(str, one['loc']))}\n  {one['msg']}" for one in errors]
        super().__init__("\n".join([count, *lines]))

    def errors(self):
        return self._errors

    def error_count(self):
        return len(self._errors)


class SecretStr:
    def __init__(self, value):
        self._value = value

    def get_secret_value(self):
        return self._value

    def __str__(self):
        return "**********" if self._value else ""

    def __repr__(self):
        return f"SecretStr('{self}')"

    def __len__(self):
        return len(self._value)

    def __eq__(self, other):
        return isinstance(other, SecretStr) and self._value == other._value

    __hash__ = None


class AnyUrl(str):
    pass


class HttpUrl(AnyUrl):
    pass


class EmailStr(str):
    pass


class _Strict:
    pass


StrictStr = Annotated[str, _Strict()]
StrictInt = Annotated[int, _Strict()]
StrictBool = Annotated[bool, _Strict()]


class Limits:
    def __init__(self, **limits):
        self.limits = limits


PositiveInt = Annotated[int, Limits(gt=0)]
NonNegativeInt = Annotated[int, Limits(ge=0)]


def conint(**limits):
    return Annotated[int, Limits(**limits)]


def constr(**limits):
    return Annotated[str, Limits(**limits)]
