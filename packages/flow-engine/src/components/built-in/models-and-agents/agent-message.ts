import { changeMessage, createMessage, type Message } from '../../../graph/values/message.ts'
import type { ComponentContext } from '../../define/context.ts'

export interface TextStep {
  readonly type: 'text'
  readonly text: string
  readonly header: StepHeader
  readonly duration: number | null
}

export interface ToolStep {
  readonly type: 'tool_use'
  readonly name: string
  readonly tool_input: unknown
  readonly output: unknown
  readonly error: unknown
  readonly header: StepHeader
  readonly duration: number | null
}

interface StepHeader {
  readonly title: string
  readonly icon: string
}

/** The single message of an agent's answer, announced first and updated with each step. */
export interface AgentMessage {
  addText(title: 'Input' | 'Output', text: string): Promise<void>
  /** Returns the number with which the step is completed. */
  startTool(name: string, input: unknown): Promise<number>
  endTool(step: number, result: { output: unknown } | { error: string }): Promise<void>
  /** Whitespace alone is not sent as a token, but is part of the text kept when the run is stopped. */
  token(chunk: string): void
  reasoning(chunk: string): void
  /** With `output`, the text is also added as an Output step. */
  complete(text: string, options: { output: boolean }): Promise<Message>
  /** Removes the message. Has no effect once the run is stopped, because the run keeps the partial text. */
  fail(): Promise<void>
}

/** Announces the message if the agent's answer goes to a chat output in a session. */
export async function startAgentMessage(
  ctx: ComponentContext,
  { contextId, silent = false }: { readonly contextId: string; readonly silent?: boolean },
): Promise<AgentMessage> {
  const shown = !silent && ctx.chatOutput !== undefined && ctx.sessionId !== '' && !ctx.asTool
  const started = ctx.runtime.now().getTime()
  const steps: (TextStep | ToolStep)[] = []
  let message = createMessage({
    sender: 'Machine',
    senderName: ctx.chatOutput?.senderName ?? 'Agent',
    sessionId: ctx.sessionId,
    contextId,
    flowId: ctx.flowId,
    timestamp: ctx.runtime.now(),
    properties: { icon: 'Bot', state: 'partial' },
    contentBlocks: [stepsBlock([])],
  })
  if (shown) message = await ctx.sendMessage(message)

  const elapsed = (): number => ctx.runtime.now().getTime() - started
  const update = async (change: object, store: boolean): Promise<void> => {
    message = changeMessage(message, { contentBlocks: [stepsBlock(steps)], ...change })
    if (shown) message = await ctx.updateMessage(message, { store })
  }

  return {
    async addText(title, text) {
      steps.push(textStep(title, text, elapsed()))
      await update({}, false)
    },
    async startTool(name, input) {
      steps.push(toolStep(name, input, elapsed()))
      await update({}, false)
      return steps.length - 1
    },
    async endTool(at, result) {
      const step = steps[at]
      if (step?.type !== 'tool_use') return
      const failed = 'error' in result
      const title = `${failed ? 'Error using' : 'Executed'} **${step.name}**`
      steps[at] = { ...step, ...result, header: { title, icon: 'Hammer' }, duration: elapsed() }
      await update({}, false)
    },
    token(chunk) {
      if (!shown || message.id === undefined) return
      ctx.token(chunk, message.id, { send: chunk.trim() !== '' })
    },
    reasoning(chunk) {
      if (shown && message.id !== undefined) ctx.reasoning(chunk, message.id)
    },
    async complete(text, options) {
      if (options.output) steps.push(textStep('Output', text, elapsed()))
      const properties = { ...message.properties, state: 'complete' }
      await update({ text, properties }, true)
      return message
    },
    async fail() {
      if (shown && message.id !== undefined) await ctx.removeMessage(message.id)
    },
  }
}

function stepsBlock(contents: readonly object[]): object {
  return {
    title: 'Agent Steps',
    contents: [...contents],
    allow_markdown: true,
    media_url: null,
  }
}

function textStep(title: string, text: string, duration: number): TextStep {
  return { type: 'text', text, header: { title, icon: 'MessageSquare' }, duration }
}

function toolStep(name: string, input: unknown, duration: number): ToolStep {
  return {
    type: 'tool_use',
    name,
    tool_input: input,
    output: null,
    error: null,
    header: { title: `Accessing **${name}**`, icon: 'Hammer' },
    duration,
  }
}
