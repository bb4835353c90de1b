"""Input and output declarations, as components write them."""

import copy
import warnings


class Input:
    """An input, with its attributes in template spelling."""

    _input_type = "Input"

    def __init__(self, **given):
        if "is_list" in given:
            given["list"] = given.pop("is_list")
        if "file_types" in given:
            given["fileTypes"] = given.pop("file_types")
        if "field_type" in given:
            given["type"] = given.pop("field_type")
        if given.get("name") is None:
            raise ValueError(f"{type(self).__name__} needs a name")
        self.__dict__["given"] = given

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        name = {"is_list": "list", "file_types": "fileTypes", "field_type": "type"}.get(name, name)
        return self.__dict__.get("given", {}).get(name)

    def __setattr__(self, name, value):
        name = {"is_list": "list", "file_types": "fileTypes", "field_type": "type"}.get(name, name)
        self.__dict__["given"][name] = value

    def __deepcopy__(self, memo):
        made = object.__new__(type(self))
        made.__dict__["given"] = copy.deepcopy(self.given, memo)
        return made

    @property
    def given(self):
        return self.__dict__["given"]

    def model_dump(self, **_options):
        return {**self.given, "_input_type": type(self)._input_type}

    to_dict = model_dump

    def model_copy(self, update=None, deep=False):
        made = copy.deepcopy(self)
        made.given.update(update or {})
        return made

    def __repr__(self):
        return f"{type(self).__name__}(name={self.name!r})"


_NAMES = """
MessageTextInput MultilineInput MultilineSecretInput MessageInput StrInput SecretStrInput IntInput
FloatInput BoolInput DropdownInput TabInput MultiselectInput SortableListInput DictInput NestedDictInput
TableInput DataInput DataFrameInput HandleInput FileInput LinkInput SliderInput CodeInput PromptInput
QueryInput McpInput ToolsInput ConnectionInput AuthInput ModelInput InputTypes DefaultPromptField
DatabaseLoadInput MustachePromptInput JSONInput
""".split()

for _name in _NAMES:
    globals()[_name] = type(_name, (Input,), {"_input_type": _name, "__doc__": f"An input of the class {_name}."})


class Output:
    """An output: the method that produces its value, and its declared types."""

    _defaults = {
        "types": None,
        "selected": None,
        "hidden": None,
        "method": None,
        "value": "__UNDEFINED__",
        "cache": True,
        "required_inputs": None,
        "allows_loop": False,
        "loop_types": None,
        "group_outputs": False,
        "options": None,
        "tool_mode": True,
        "info": None,
    }

    def __init__(self, **given):
        if given.get("name") is None:
            raise ValueError("Output needs a name")
        self.__dict__.update({**self._defaults, **given})
        if given.get("display_name") is None:
            self.display_name = str(self.name).replace("_", " ").title()
        self.types = None if self.types is None else list(self.types)

    def add_types(self, types):
        self.types = list(dict.fromkeys([*(self.types or []), *types]))
        self.selected = self.selected or (self.types[0] if self.types else None)

    def set_selected(self):
        if not self.selected and self.types:
            self.selected = self.types[0]

    def model_dump(self, **_options):
        return dict(self.__dict__)

    to_dict = model_dump

    def __repr__(self):
        return f"Output(name={self.name!r}, method={self.method!r})"


warnings.simplefilter("ignore")
