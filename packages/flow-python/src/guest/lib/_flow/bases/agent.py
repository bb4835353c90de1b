"""The base classes of components that are agents."""

import re

from _flow.chain.agents import AgentExecutor, AgentRunnable, RunnableAgent, create_tool_calling_agent
from _flow.chain.messages import HumanMessage
from _flow.chain.prompts import ChatPromptTemplate
from _flow.component import Component
from _flow.inputs import BoolInput, DataInput, HandleInput, IntInput, MessageInput, MessageTextInput, MultilineInput, Output
from _flow.schema import Data, Message

DEFAULT_TOOLS_DESCRIPTION = "A helpful assistant with access to the following tools:"
DEFAULT_AGENT_NAME = "Agent ({tools_names})"
_TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]+$")


class LCAgentComponent(Component):
    """A component that is an agent: it answers its input with the help of tools."""

    trace_type = "agent"
    _base_inputs = [
        MessageInput(name="input_value", display_name="Input", info="The question for the agent.", tool_mode=True),
        BoolInput(name="handle_parsing_errors", display_name="Handle Parse Errors", value=True, advanced=True,
                  info="Report invalid tool arguments to the model instead of failing."),
        BoolInput(name="verbose", display_name="Verbose", value=True, advanced=True),
        IntInput(name="max_iterations", display_name="Max Iterations", value=15, advanced=True,
                 info="How often the model may be asked for one answer."),
        MultilineInput(name="agent_description", display_name="Agent Description [Deprecated]", advanced=True,
                       value=DEFAULT_TOOLS_DESCRIPTION, info="Only used in tool mode."),
    ]
    inputs = _base_inputs
    outputs = [
        Output(name="agent", display_name="Agent", method="build_agent", hidden=True, tool_mode=False),
        Output(name="response", display_name="Response", method="message_response"),
    ]

    def build_agent(self) -> AgentExecutor:
        raise NotImplementedError("Implement build_agent")

    def create_agent_runnable(self):
        raise NotImplementedError("Implement create_agent_runnable")

    async def message_response(self) -> Message:
        message = await self.run_agent(agent=self.build_agent())
        self.status = message
        return message

    async def run_agent(self, agent) -> Message:
        """Run the agent with the input, the system prompt and the history of the component."""
        if not isinstance(agent, AgentExecutor):
            agent = AgentExecutor.from_agent_and_tools(agent=agent, tools=self._given("tools") or [], **self._limits())
        result = agent.ask(self._asked())
        self.status = result
        return result

    def get_chat_history_data(self) -> list[Data] | None:
        return None

    def get_agent_kwargs(self, *, flatten=False):
        limits = self._limits()
        base = {"handle_parsing_errors": limits["handle_parsing_errors"], "verbose": bool(self._given("verbose")),
                "allow_dangerous_code": True}
        return {**base, **limits} if flatten else {**base, "agent_executor_kwargs": limits}

    def validate_tool_names(self):
        for one in self._given("tools") or []:
            if not _TOOL_NAME.match(one.name):
                raise ValueError(
                    f"Invalid tool name '{one.name}': must only contain letters, numbers, underscores, dashes,"
                    " and cannot contain spaces."
                )

    def _get_shared_callbacks(self):
        return []

    def _given(self, name):
        return getattr(self, name, None)

    def _limits(self):
        limit = self._given("max_iterations")
        return {"handle_parsing_errors": bool(self._given("handle_parsing_errors")), "max_iterations": 15 if limit is None else limit}

    def _asked(self):
        """Return the values for the prompt."""
        text, images = _parts_of(self._given("input_value"))
        history = self.get_chat_history_data() or self._given("chat_history") or []
        messages = _turns(history if isinstance(history, list) else [history])
        messages += [HumanMessage(content=[image]) for image in images]
        if not text.strip():
            text = "Process the provided images." if images else "Continue the conversation."
        system = self._given("system_prompt")
        return {"input": text, **({"chat_history": messages} if messages else {}), **({"system_prompt": str(system)} if system else {})}

    def _data_to_messages_skip_empty(self, data):
        return _turns(data)


class LCToolsAgentComponent(LCAgentComponent):
    """An agent whose tools come over edges."""

    _base_inputs = [
        HandleInput(name="tools", display_name="Tools", input_types=["Tool"], is_list=True, required=False,
                    info="The tools that the agent can use."),
        *LCAgentComponent._base_inputs,
    ]
    inputs = _base_inputs

    def build_agent(self) -> AgentExecutor:
        self.validate_tool_names()
        agent = RunnableAgent(runnable=self.create_agent_runnable())
        return AgentExecutor.from_agent_and_tools(agent=agent, tools=self._given("tools") or [], **self.get_agent_kwargs(flatten=True))


class ToolCallingAgentComponent(LCToolsAgentComponent):
    """An agent with a model, a system prompt and a history from edges."""

    display_name = "Tool Calling Agent"
    description = "Answers questions with the help of tools."
    icon = "LangChain"
    name = "ToolCallingAgent"
    inputs = [
        *LCToolsAgentComponent._base_inputs,
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"], required=True,
                    info="The model that the agent asks."),
        MessageTextInput(name="system_prompt", display_name="System Prompt", info="Instructions for the agent.",
                         value="You are a helpful assistant that can use tools to answer questions and perform tasks."),
        DataInput(name="chat_history", display_name="Chat Memory", is_list=True, advanced=True,
                  info="Earlier messages of the conversation."),
    ]

    def get_chat_history_data(self):
        return self.chat_history

    def create_agent_runnable(self):
        prompt = ChatPromptTemplate.from_messages([
            ("system", "{system_prompt}"),
            ("placeholder", "{chat_history}"),
            ("human", "{input}"),
            ("placeholder", "{agent_scratchpad}"),
        ])
        self.validate_tool_names()
        return create_tool_calling_agent(self.llm, self._given("tools") or [], prompt)


def _turns(items):
    """Return messages of a history, without those that have no text."""
    made = []
    for one in items:
        message = one if isinstance(one, Message) else Message(text=one.get_text(), sender=one.data.get("sender")) if isinstance(one, Data) else one
        if isinstance(message, Message):
            if message.text and str(message.text).strip():
                made.append(message.to_lc_message())
        else:
            made.append(message)
    return made


def _parts_of(value):
    """Return the text of an input and its images."""
    if not isinstance(value, Message):
        return ("" if value is None else str(value)), []
    text = value.get_text()
    text = text if isinstance(text, str) else "".join(text or [])
    files = value.get_file_content_dicts() if value.files else []
    return text, [one for one in files if one.get("type") in ("image", "image_url")]
