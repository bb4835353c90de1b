"""The base class of components."""

import asyncio
import copy
import inspect

from _flow import channel
from _flow.schema import Data, Message, dotdict

_FACTS = {
    "display_name": None,
    "description": None,
    "icon": None,
    "name": None,
    "documentation": "",
    "priority": None,
    "beta": False,
    "legacy": False,
    "minimized": False,
    "trace_type": None,
    "replacement": None,
    "metadata": {},
    "field_order": None,
    "default_keys": ["code", "_type", "user_id", "session_id", "context_id"],
    "inputs": [],
    "outputs": [],
    "code": None,
    "idempotent": False,
}


class NotAvailable(Exception):
    """A feature that this service does not support."""


class _Graph:
    """The part of the surrounding flow that a component can see."""

    def __init__(self, facts):
        for name in ("flow_id", "session_id", "user_id", "flow_name", "run_id"):
            setattr(self, name, facts.get(name))
        self._id = facts.get("id")
        self.context = dotdict()
        self.conditional_exclusion_sources = {}
        self.conditionally_excluded_vertices = set()

    def exclude_branch_conditionally(self, vertex_id, output_name=None):
        if vertex_id != self._id or output_name is None:
            raise NotAvailable("self.graph.exclude_branch_conditionally takes an output of the component itself")
        channel.tell("exclude", name=output_name)

    def __getattr__(self, name):
        raise NotAvailable(f"self.graph.{name} is not available to Python components")


class _of_class_and_instance:
    """A method that is called on the class or on an instance; it gets the class."""

    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return lambda: self.function(owner)


class Component:
    """A component: inputs are attributes, outputs are methods."""

    locals().update(_FACTS)

    def __init__(self, **given):
        config = {key[1:]: given.pop(key) for key in list(given) if key.startswith("_")}
        self.__dict__.update(
            _attributes={},
            _facts=config,
            _stopped=[],
            _id=config.get("id"),
            _outputs_map={output.name: output for output in copy.copy(self.outputs or [])},
            _inputs={one.name: copy.deepcopy(one) for one in self.inputs or []},
            _vertex=None,
            graph=_Graph(config),
            status="",
            set_class_code=lambda: None,
        )
        for one in self._inputs.values():
            value = one.value
            self._attributes[one.name] = copy.copy(value) if value is not None else _empty(one)
        self._attributes.update(given)

    def __getattr__(self, name):
        attributes = self.__dict__.get("_attributes", {})
        if name in attributes:
            return attributes[name]
        outputs = self.__dict__.get("_outputs_map", {})
        if name in outputs:
            return outputs[name]
        if name in ("user_id", "flow_id", "flow_name", "session_id"):
            return self.__dict__.get("_facts", {}).get(name)
        raise AttributeError(f"{name} not found in {type(self).__name__}")

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_attributes", {}):
            self._attributes[name] = value
        else:
            object.__setattr__(self, name, value)
            if name == "status":
                channel.tell("status", value=_shown(value))

    def __deepcopy__(self, memo):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__["_attributes"] = dict(self._attributes)
        return made

    def set(self, **values):
        self._attributes.update(values)
        return self

    def set_attributes(self, values):
        self._attributes.update(values)

    @property
    def ctx(self):
        return self.graph.context

    def add_to_ctx(self, key, value, *, overwrite=False):
        if key in self.graph.context and not overwrite:
            raise ValueError(f"Key {key} already exists in context. Set overwrite=True to overwrite.")
        self.graph.context[key] = value

    def update_ctx(self, values):
        self.graph.context.update(values)

    def log(self, message, name=None):
        channel.log(name or "Log", _shown(message))

    def stop(self, output_name=None):
        channel.tell("stop", name=self._output(output_name))

    def start(self, output_name=None):
        channel.tell("start", name=self._output(output_name))

    def _output(self, name):
        return name if name is not None else self.__dict__.get("_current_output")

    async def get_variables(self, name, field=None):
        return channel.ask("variable", name=name, field=field)

    async def variables(self, name, field=None):
        return channel.ask("variable", name=name, field=field)

    get_variable = get_variables

    async def send_message(self, message, id_=None, *, skip_db_update=False):
        from _flow import values

        sent = channel.ask("message", message=values.encode(message))
        made = values.decode(sent)
        message.id = made.id
        return message

    async def send_error(self, exception=None, **_facts):
        return await self.send_message(Message(text=str(exception), category="error", error=True))

    def resolve_path(self, path):
        return str(path)

    get_full_path = resolve_path

    @_of_class_and_instance
    def get_base_inputs(cls):
        """Return the inputs of the base: called on a base class, those of the class itself."""
        own = cls.__dict__.get("_base_inputs")
        if own is not None:
            return list(own)
        return [one for base in cls.__mro__[1:] for one in base.__dict__.get("_base_inputs", base.__dict__.get("inputs", []))]

    def get_input(self, name):
        if name not in self._inputs:
            raise ValueError(f"Input {name} not found in {type(self).__name__}")
        return self._inputs[name]

    def get_output(self, name):
        if name not in self._outputs_map:
            raise ValueError(f"Output {name} not found in {type(self).__name__}")
        return self._outputs_map[name]

    def get_langchain_callbacks(self):
        return []

    def _pre_run_setup(self):
        pass

    def to_toolkit(self):
        raise NotAvailable("self.to_toolkit is the host's: switch the component to tool mode")

    def update_build_config(self, build_config, field_value, field_name=None):
        build_config[field_name]["value"] = field_value
        return build_config

    def update_outputs(self, frontend_node, field_name, field_value):
        return frontend_node

    async def update_frontend_node(self, new_frontend_node, current_frontend_node):
        return new_frontend_node

    def run_and_validate_update_outputs(self, frontend_node, field_name, field_value):
        return self.update_outputs(frontend_node, field_name, field_value)

    def to_data(self, value):
        return value if isinstance(value, Data) else Data(data=value)

    def list_key_values(self, value):
        return list(value)


class CustomComponent(Component):
    """An old-style component: its inputs are the arguments of `build`."""

    def build_config(self):
        return {}

    def build(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no method build")

    @property
    def repr_value(self):
        return self.status

    def to_data(self, data, keys=None, silent_errors=False):
        items = data if isinstance(data, (list, tuple)) else [data]
        return [item if isinstance(item, Data) else Data(data=item if isinstance(item, dict) else {"text": str(item)})
                for item in items]

    to_records = to_data

    def create_references_from_data(self, data, include_data=False):
        text = "".join(f"{item.get_text()}\n" + (f"{item.data}\n" if include_data else "") for item in data)
        return f"---\n{text}---" if data else ""


def _empty(one):
    kind = type(one)._input_type
    if one.list or kind in ("MultiselectInput", "TableInput", "SortableListInput"):
        return []
    if kind in ("DictInput", "NestedDictInput"):
        return {}
    if kind == "BoolInput":
        return False
    return None if kind in ("HandleInput", "DataInput", "JSONInput", "DataFrameInput", "MessageInput") else ""


def _shown(value):
    from _flow import values

    if isinstance(value, Message) and not isinstance(value.data.get("text"), str):
        return "Unconsumed Stream"
    return values.encode(value)


def is_coroutine(value):
    return inspect.isawaitable(value) or asyncio.iscoroutine(value)
