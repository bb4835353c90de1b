class HTTPAdapter:
    """Kept for its name: connections are the host's."""

    def __init__(self, *_args, **_kwargs):
        pass
