"""Reads no files: the environment of a component is the operator's choice."""


def load_dotenv(*_args, **_kwargs):
    return False


def find_dotenv(*_args, **_kwargs):
    return ""


def dotenv_values(*_args, **_kwargs):
    return {}
