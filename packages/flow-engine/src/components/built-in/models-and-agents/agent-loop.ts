import { errorText } from '../../../errors.ts'
import type { ChatMessage, ChatModel, Tool, ToolCall } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { decideToolCall, type ToolDecision } from '../../tools/tool-approval.ts'
import { toolArgumentProblems } from '../../tools/tool-argument-problems.ts'
import type { AgentMessage } from './agent-message.ts'

export interface AgentLoopOptions {
  readonly ctx: ComponentContext
  readonly model: ChatModel
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Tool[]
  readonly shown: AgentMessage
  readonly maxIterations: number
  /** Reports invalid arguments to the model instead of failing the agent. */
  readonly handleParsingErrors: boolean
}

export interface AgentAnswer {
  readonly text: string
  /** False if the iteration limit was reached. */
  readonly finished: boolean
}

/**
 * Asks the model and runs the requested tools until there is an answer without calls. When a
 * run resumes after a pause, stored model answers and tool results are reused.
 */
export async function runAgentLoop(options: AgentLoopOptions): Promise<AgentAnswer> {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]))
  const messages = [...options.messages]
  for (let iteration = 0; iteration < Math.max(1, options.maxIterations); iteration += 1) {
    const { text, calls } = await answerOnce(messages, options)
    if (calls.length === 0) return { text, finished: true }
    messages.push({ role: 'assistant', content: text, toolCalls: calls })
    const answers = await callTools(calls, { ...options, tools, iteration })
    const direct = calls.findIndex(({ name }) => tools.get(name)?.returnDirect === true)
    if (direct >= 0) return { text: answers[direct] ?? '', finished: true }
    for (const [at, { id, name }] of calls.entries()) {
      messages.push({ role: 'tool', name, toolCallId: id, content: answers[at] ?? '' })
    }
  }
  return { text: 'Agent stopped due to max iterations.', finished: false }
}

interface ModelAnswer {
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/** A stored answer is shown as a whole. */
async function answerOnce(
  messages: readonly ChatMessage[],
  options: AgentLoopOptions,
): Promise<ModelAnswer> {
  const { ctx, shown } = options
  let asked = false
  const answer = await ctx.step<ModelAnswer>('model', () => {
    asked = true
    return ask(messages, options)
  })
  if (!asked) shown.token(answer.text)
  return answer
}

async function ask(
  messages: readonly ChatMessage[],
  { ctx, model, tools, shown }: AgentLoopOptions,
): Promise<ModelAnswer> {
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
    } else if ('reasoning' in chunk) {
      shown.reasoning(chunk.reasoning)
    } else if ('toolCall' in chunk) {
      calls.push(chunk.toolCall)
    }
  }
  return { text, calls }
}

interface Turn extends Omit<AgentLoopOptions, 'tools'> {
  readonly tools: ReadonlyMap<string, Tool>
  readonly iteration: number
}

/**
 * Announces and approves the calls of a turn in order, runs them concurrently, and returns results in order.
 * No call of a turn runs before a person has decided on all of them.
 */
async function callTools(calls: readonly ToolCall[], turn: Turn): Promise<string[]> {
  const { tools, shown, iteration } = turn
  const names = [...tools.keys()]
  const steps: number[] = []
  for (const { name, args } of calls) {
    const known = tools.has(name)
    const unknownInput = { requested_tool_name: name, available_tool_names: names }
    steps.push(await shown.startTool(known ? name : 'invalid_tool', known ? args : unknownInput))
  }
  const decided: DecidedCall[] = []
  for (const [index, call] of calls.entries()) {
    const step = { number: steps[index] ?? 0, name: `tool ${iteration}.${index}` }
    decided.push({ ...call, step, decision: await decide(call, turn) })
  }
  return Promise.all(decided.map((call) => answerCall(call, turn)))
}

interface DecidedCall extends ToolCall {
  readonly step: { readonly number: number; readonly name: string }
  readonly decision: ToolDecision
}

/** A person is not asked about an invalid call. */
async function decide({ name, args }: ToolCall, { tools, ctx }: Turn): Promise<ToolDecision> {
  const tool = tools.get(name)
  if (tool === undefined || toolArgumentProblems(args, tool.parameters).length > 0) return { args }
  return decideToolCall(tool, args, ctx)
}

async function answerCall(
  { name, decision, step: { number: step, name: stepName } }: DecidedCall,
  { tools, ctx, shown, handleParsingErrors }: Turn,
): Promise<string> {
  const tool = tools.get(name)
  if (tool === undefined) {
    const names = [...tools.keys()].join(', ')
    const output = `${name} is not a valid tool, try one of [${names}].`
    await shown.endTool(step, { output })
    return output
  }
  if ('rejected' in decision) {
    await shown.endTool(step, { error: decision.rejected })
    return decision.rejected
  }
  if ('response' in decision) {
    await shown.endTool(step, { output: decision.response })
    return decision.response
  }
  const { args } = decision
  const problems = toolArgumentProblems(args, tool.parameters)
  if (problems.length > 0) {
    const error = `The arguments of ${name} are invalid: ${problems.join('; ')}`
    if (!handleParsingErrors) throw new TypeError(error)
    await shown.endTool(step, { error })
    return error
  }
  try {
    const output = await ctx.callTool(tool, args, { step: stepName })
    await shown.endTool(step, { output })
    return toolText(output)
  } catch (error) {
    ctx.signal.throwIfAborted()
    const text = errorText(error)
    await shown.endTool(step, { error: text })
    return text
  }
}

/** Returns strings unchanged and other results as JSON with `, ` and `: ` as separators. */
export function toolText(result: unknown): string {
  if (typeof result === 'string') return result
  // In indented JSON, line breaks occur only between parts; inside strings they are escaped.
  return (JSON.stringify(result, null, 1) ?? 'null')
    .replaceAll(/([[{])\n\s*/g, '$1')
    .replaceAll(/\n\s*([\]}])/g, '$1')
    .replaceAll(/\n\s*/g, ' ')
}
