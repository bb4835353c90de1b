import { readText, type Message } from '../../../graph/values/message.ts'
import type { ChatMessage, ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { readAttachments } from '../../chat/message-attachments.ts'
import type { AgentModelInputs } from './agent-model.ts'
import type { AgentToolInputs } from './agent-tools.ts'

/** The settings of an agent. */
export interface AgentInputs extends AgentModelInputs, AgentToolInputs {
  readonly system_prompt: string
  readonly context_id: string
  readonly n_messages: number
  readonly input_value: Message | null
  readonly handle_parsing_errors: boolean
  readonly max_iterations: number
  readonly output_schema: readonly Record<string, unknown>[]
  readonly format_instructions: string
}

/** Builds an agent's first request: system prompt, history, files, question. */
export async function agentMessages(
  inputs: AgentInputs,
  model: ChatModel,
  ctx: ComponentContext,
): Promise<{ question: string; messages: ChatMessage[] }> {
  const question = await readQuestion(inputs.input_value, ctx)
  const messages = [
    ...systemMessages(inputs.system_prompt, model, ctx),
    ...(await history(inputs, ctx)),
    ...question.attached,
    { role: 'user' as const, content: question.text },
  ]
  return { question: question.text, messages }
}

/** Empty for a blank prompt. Three names in braces are replaced; other braces are kept. */
export function systemMessages(
  prompt: string,
  model: ChatModel,
  { runtime }: Pick<ComponentContext, 'runtime'>,
): ChatMessage[] {
  if (prompt.trim() === '') return []
  const values: Readonly<Record<string, string>> = {
    current_date: runtime.now().toISOString().slice(0, 10),
    model_name: model.name ?? '',
    optional_user_context: '',
  }
  const content = prompt.replaceAll(
    /\{(current_date|model_name|optional_user_context)\}/g,
    (_, name: string) => values[name] ?? '',
  )
  return [{ role: 'system', content }]
}

interface Question {
  readonly text: string
  /** Each file is a separate user message. */
  readonly attached: readonly ChatMessage[]
}

async function readQuestion(input: Message | null, ctx: ComponentContext): Promise<Question> {
  const text = input === null ? '' : await readText(input.text)
  const attached = input === null ? [] : await readAttachments(input.files, ctx)
  const kind = attached.every(({ type }) => type === 'image') ? 'images' : 'files'
  const replacement =
    attached.length > 0 ? `Process the provided ${kind}.` : 'Continue the conversation.'
  return {
    text: text.trim() === '' ? replacement : text,
    attached: attached.map((part) => ({ role: 'user', content: [part] })),
  }
}

/** Returns earlier messages of the session, excluding the question itself and blank messages. */
async function history(inputs: AgentInputs, ctx: ComponentContext): Promise<ChatMessage[]> {
  const { messages } = ctx.services
  if (messages === undefined || ctx.sessionId === '' || inputs.n_messages <= 0) return []
  const rows = await messages.list({
    sessionId: ctx.sessionId,
    ...(inputs.context_id === '' ? {} : { contextId: inputs.context_id }),
    order: 'ascending',
    last: inputs.n_messages,
  })
  return rows
    .filter(({ id, text }) => id !== inputs.input_value?.id && text.trim() !== '')
    .map(({ sender, text }) => ({
      role: sender === 'Machine' ? 'assistant' : 'user',
      content: text,
    }))
}
