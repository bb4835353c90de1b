"""Loads no files: the operator chooses the environment of components."""


def load_dotenv(*_args, **_kwargs):
    return False


def find_dotenv(*_args, **_kwargs):
    return ""


def dotenv_values(*_args, **_kwargs):
    return {}
