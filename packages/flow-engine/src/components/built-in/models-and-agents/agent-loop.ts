import { errorText } from '../../../errors.ts'
import type { ChatMessage, ChatModel, Tool, ToolCall } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { toolArgumentProblems } from '../../tools/tool-argument-problems.ts'
import type { AgentMessage } from './agent-message.ts'

export interface AgentLoopOptions {
  readonly ctx: ComponentContext
  readonly model: ChatModel
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Tool[]
  readonly shown: AgentMessage
  readonly maxIterations: number
  /** Arguments that do not fit go back to the model instead of failing the agent. */
  readonly handleParsingErrors: boolean
}

export interface AgentAnswer {
  readonly text: string
  /** False when the iterations were used up. */
  readonly finished: boolean
}

/** Asks, calls the tools asked for, and asks again, until an answer without calls (CO-35, FE-52). */
export async function runAgentLoop(options: AgentLoopOptions): Promise<AgentAnswer> {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]))
  const messages = [...options.messages]
  for (let iteration = 0; iteration < Math.max(1, options.maxIterations); iteration += 1) {
    const { text, calls } = await ask(messages, options)
    if (calls.length === 0) return { text, finished: true }
    messages.push({ role: 'assistant', content: text, toolCalls: calls })
    messages.push(...(await callTools(calls, tools, options)))
  }
  return { text: 'Agent stopped due to max iterations.', finished: false }
}

async function ask(
  messages: readonly ChatMessage[],
  { ctx, model, tools, shown }: AgentLoopOptions,
): Promise<{ text: string; calls: ToolCall[] }> {
  let text = ''
  const calls: ToolCall[] = []
  const request = {
    messages: [...messages],
    stream: true,
    signal: ctx.signal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parameters,
          })),
        }),
  }
  for await (const chunk of model.stream(request)) {
    ctx.signal.throwIfAborted()
    if ('text' in chunk) {
      text += chunk.text
      shown.token(chunk.text)
    } else if ('toolCall' in chunk) {
      calls.push(chunk.toolCall)
    }
  }
  return { text, calls }
}

/** Announced in order, run side by side, answered in order. */
async function callTools(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, Tool>,
  options: AgentLoopOptions,
): Promise<ChatMessage[]> {
  const names = [...tools.keys()]
  const steps: number[] = []
  for (const { name, args } of calls) {
    const known = tools.has(name)
    const unknownInput = { requested_tool_name: name, available_tool_names: names }
    steps.push(
      await options.shown.startTool(known ? name : 'invalid_tool', known ? args : unknownInput),
    )
  }
  const answers = await Promise.all(
    calls.map((call, index) => answerCall(call, steps[index] ?? 0, tools, options)),
  )
  return calls.map(({ id, name }, index) => ({
    role: 'tool',
    name,
    toolCallId: id,
    content: answers[index] ?? '',
  }))
}

async function answerCall(
  { name, args }: ToolCall,
  step: number,
  tools: ReadonlyMap<string, Tool>,
  { ctx, shown, handleParsingErrors }: AgentLoopOptions,
): Promise<string> {
  const tool = tools.get(name)
  if (tool === undefined) {
    const names = [...tools.keys()].join(', ')
    const output = `${name} is not a valid tool, try one of [${names}].`
    await shown.endTool(step, { output })
    return output
  }
  const problems = toolArgumentProblems(args, tool.parameters)
  if (problems.length > 0) {
    const error = `The arguments of ${name} do not fit: ${problems.join('; ')}`
    if (!handleParsingErrors) throw new TypeError(error)
    await shown.endTool(step, { error })
    return error
  }
  try {
    const output = await ctx.callTool(tool, args)
    await shown.endTool(step, { output })
    return toolText(output)
  } catch (error) {
    ctx.signal.throwIfAborted()
    const text = errorText(error)
    await shown.endTool(step, { error: text })
    return text
  }
}

/** A text as it is, other results as JSON with `, ` and `: ` between the parts. */
export function toolText(result: unknown): string {
  if (typeof result === 'string') return result
  // The line breaks of indented JSON stand between its parts only: inside texts they are escaped.
  return (JSON.stringify(result, null, 1) ?? 'null')
    .replaceAll(/([[{])\n\s*/g, '$1')
    .replaceAll(/\n\s*([\]}])/g, '$1')
    .replaceAll(/\n\s*/g, ' ')
}
