"""Agents: a model, tools and a prompt. The host runs the loop; Python only describes it."""

from _flow import channel, kept
from _flow.chain.messages import HumanMessage, SystemMessage
from _flow.chain.models import BaseChatModel, _messages
from _flow.chain.prompts import BasePromptTemplate
from _flow.chain.runnables import Runnable
from _flow.chain.tools import BaseTool, render_text_description, tool

_FINAL = "Final Answer:"


class AgentRunnable(Runnable):
    """What `create_tool_calling_agent` and its relatives return."""

    def __init__(self, llm, tools, prompt, in_text=False):
        if not isinstance(llm, BaseChatModel):
            raise NotImplementedError(f"{type(llm).__name__} does not support tool calling")
        self.llm, self.tools, self.prompt, self.in_text = llm, list(tools or []), prompt, in_text

    def invoke(self, input, config=None, **_more):
        return AgentExecutor(agent=self, tools=self.tools).invoke(input)

    def messages(self, given):
        """Fill in the prompt; the host adds the calls of tools and their results."""
        values = {"chat_history": "", "system_prompt": "", **given, "agent_scratchpad": ""}
        if self.in_text:
            values["tools"] = render_text_description(self.tools)
            values["tool_names"] = ", ".join(one.name for one in self.tools)
        if isinstance(self.prompt, BasePromptTemplate):
            made = self.prompt.format_prompt(**values).to_messages()
        elif self.prompt is None:
            made = [*(values["chat_history"] or []), HumanMessage(content=values.get("input", ""))]
        else:
            made = [SystemMessage(content=str(self.prompt)), HumanMessage(content=values.get("input", ""))]
        return [one for one in made if one.type != "system" or one.text.strip()]


def create_tool_calling_agent(llm, tools, prompt=None, **_more):
    return AgentRunnable(llm, _tools(tools), prompt)


create_openai_tools_agent = create_openai_functions_agent = create_tool_calling_agent


def create_react_agent(llm, tools, prompt=None, **_more):
    return AgentRunnable(llm, _tools(tools), prompt, in_text=True)


def _tools(given):
    return [one if isinstance(one, BaseTool) or isinstance(one, dict) else tool(one) for one in given or []]


class RunnableAgent:
    """A wrapper of an agent, which is not needed here."""

    def __init__(self, runnable, **_more):
        self.runnable = runnable


class AgentExecutor(Runnable):
    """An agent with its limits."""

    def __init__(self, agent, tools=(), max_iterations=15, handle_parsing_errors=True, verbose=False, **_more):
        self.agent = getattr(agent, "runnable", agent)
        if not isinstance(self.agent, AgentRunnable):
            raise TypeError(f"{type(self.agent).__name__} is not available as an agent to Python components")
        self.tools = _tools(tools) or self.agent.tools
        self.max_iterations, self.handle_parsing_errors, self.verbose = max_iterations, handle_parsing_errors, verbose

    @classmethod
    def from_agent_and_tools(cls, agent, tools=(), callbacks=None, **more):
        return cls(agent, tools, **more)

    def invoke(self, input, config=None, **_more):
        given = input if isinstance(input, dict) else {"input": input}
        return {**given, "output": self.ask(given, silent=True).text}

    def ask(self, given, silent=False):
        """Let the host run the agent; return its answer as a message."""
        from _flow import values

        llm, iterations = self.agent.llm, self.max_iterations
        answer = values.decode(
            channel.ask(
                "agent",
                model=kept.handle(llm),
                settings=llm._options({}),
                tools=[kept.handle(one) for one in self.tools if isinstance(one, BaseTool)],
                messages=values.encode(_messages(self.agent.messages(given))),
                question=str(given.get("input", "")),
                max_iterations=15 if iterations is None or isinstance(iterations, bool) else iterations,
                handle_parsing_errors=bool(self.handle_parsing_errors),
                silent=silent,
            )
        )
        if self.agent.in_text and _FINAL in answer.text:
            answer.text = answer.text.rpartition(_FINAL)[2].strip()
        return answer
