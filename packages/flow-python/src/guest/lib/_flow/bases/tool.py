"""The base class of components that make a tool."""

from _flow.component import Component
from _flow.inputs import Output
from _flow.kinds import Tool
from _flow.schema import Data


class LCToolComponent(Component):
    """A component with a function: it runs it once, and gives it to agents as a tool."""

    trace_type = "tool"
    outputs = [
        Output(name="api_run_model", display_name="Data", method="run_model"),
        Output(name="api_build_tool", display_name="Tool", method="build_tool"),
    ]

    def run_model(self) -> Data:
        raise NotImplementedError("Implement run_model")

    def build_tool(self) -> Tool:
        raise NotImplementedError("Implement build_tool")
