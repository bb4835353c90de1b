class HTTPAdapter:
    """A placeholder: the host manages connections."""

    def __init__(self, *_args, **_kwargs):
        pass
