"""The part of pydantic that components use: models with plain fields, validated and converted."""

from pydantic.fields import Field, FieldInfo, PrivateAttr
from pydantic.model import BaseModel, ConfigDict, create_model
from pydantic.rules import field_serializer, field_validator, model_serializer, model_validator, root_validator, validator
from pydantic.types import (
    AnyUrl,
    EmailStr,
    HttpUrl,
    NonNegativeInt,
    PositiveInt,
    SecretStr,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    conint,
    constr,
)

__version__ = "2"
