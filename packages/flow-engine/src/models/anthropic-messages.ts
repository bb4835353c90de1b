import type { ChatMessage, ChatRequest, ContentPart } from './chat-model.ts'

const DEFAULT_MAX_TOKENS = 1024

/**
 * Builds the body of a messages request: system text is separated, tool results become user content, and
 * roles alternate.
 */
export function messagesBody(request: ChatRequest, model: string): Record<string, unknown> {
  const system = request.messages.filter(({ role }) => role === 'system').map(plainText)
  const tools = request.tools ?? []
  return {
    model: request.model ?? model,
    max_tokens: request.maxTokens ?? DEFAULT_MAX_TOKENS,
    messages: turns(request.messages.filter(({ role }) => role !== 'system')),
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters,
          })),
        }),
    ...(request.toolChoice === undefined
      ? {}
      : { tool_choice: { type: 'tool', name: request.toolChoice } }),
    ...(request.stream === false ? {} : { stream: true }),
  }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: string | object[]
}

/** Merges consecutive messages of the same role into one turn, as the API requires. */
function turns(messages: readonly ChatMessage[]): Turn[] {
  const result: Turn[] = []
  for (const message of messages) {
    const turn = toTurn(message)
    const last = result.at(-1)
    if (last === undefined || last.role !== turn.role) {
      result.push(turn)
    } else {
      result[result.length - 1] = { role: turn.role, content: [...parts(last), ...parts(turn)] }
    }
  }
  return result
}

function parts({ content }: Turn): object[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function toTurn(message: ChatMessage): Turn {
  if (message.role === 'tool') {
    const result = {
      type: 'tool_result',
      tool_use_id: message.toolCallId ?? '',
      content: plainText(message),
    }
    return { role: 'user', content: [result] }
  }
  const role = message.role === 'assistant' ? 'assistant' : 'user'
  const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
    type: 'tool_use',
    id,
    name,
    input: typeof args === 'object' && args !== null ? args : {},
  }))
  if (typeof message.content === 'string' && calls.length === 0) {
    return { role, content: message.content }
  }
  const content: object[] =
    typeof message.content === 'string'
      ? parts({ role, content: message.content })
      : message.content.map(wirePart)
  return { role, content: [...content, ...calls] }
}

function wirePart(part: ContentPart): object {
  if (part.type === 'text') return part
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  const source =
    data === undefined ? { type: 'url', url: part.url } : { type: 'base64', media_type: type, data }
  return { type: 'image', source }
}

function plainText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
