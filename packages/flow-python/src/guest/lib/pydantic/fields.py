"""Field definitions."""


class _Unset:
    def __repr__(self):
        return "PydanticUndefined"


Unset = _Unset()


class FieldInfo:
    def __init__(self, default=Unset, default_factory=None, alias=None, description=None, title=None, exclude=False, **limits):
        self.default = Unset if default is ... else default
        self.default_factory, self.alias = default_factory, alias or limits.pop("validation_alias", None)
        self.description, self.title, self.exclude = description, title, exclude
        self.limits = limits
        self.annotation = None

    def is_required(self):
        return self.default is Unset and self.default_factory is None

    def get_default(self):
        import copy

        return self.default_factory() if self.default_factory else copy.deepcopy(self.default)


def Field(default=Unset, **given):
    return FieldInfo(default, **given)


def PrivateAttr(default=None, default_factory=None):
    return default_factory() if default_factory else default
