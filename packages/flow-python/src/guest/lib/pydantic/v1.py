"""The older names of pydantic."""

from pydantic import *  # noqa: F403
from pydantic import BaseModel, Field, SecretStr, create_model, validator, root_validator  # noqa: F401
