"""Validators of models."""


class Rule:
    def __init__(self, function, names, mode, of_model=False):
        self.function = getattr(function, "__func__", function)
        self.names, self.mode, self.of_model = names, mode, of_model

    def __get__(self, instance, owner):
        return self.function.__get__(instance if self.of_model and self.mode == "after" else owner)


def field_validator(*names, mode="after", **_options):
    return lambda function: Rule(function, names, mode)


def validator(*names, pre=False, **_options):
    return lambda function: Rule(function, names, "before" if pre else "after")


def model_validator(*, mode):
    return lambda function: Rule(function, (), mode, of_model=True)


def root_validator(*args, pre=False, **_options):
    if args:
        return Rule(args[0], (), "before", of_model=True)
    return lambda function: Rule(function, (), "before", of_model=True)


def field_serializer(*_names, **_options):
    return lambda function: function


def model_serializer(*_args, **_options):
    return lambda function: function
