import type { Attributes } from '@opentelemetry/api'
import type { ChatMessage } from '../models/chat-model.ts'
import type { CallInfo, HookContent } from '../graph/context/run-hooks.ts'

/** How much of inputs and outputs is recorded in attributes. */
export type ContentMode = 'none' | 'truncated' | 'full'

/** Maximum characters of an attribute with `truncated`. */
const MAX_LENGTH = 1000

/** Serialises a value to a JSON attribute. */
export function contentAttribute(name: string, value: unknown, mode: ContentMode): Attributes {
  if (mode === 'none' || value === undefined) return {}
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { [name]: mode === 'full' ? text : text.slice(0, MAX_LENGTH) }
}

/** Input and output of a call, with the attribute names of the GenAI conventions. */
export function callContent(
  kind: CallInfo['kind'],
  { input, output }: HookContent,
  mode: ContentMode,
): Attributes {
  if (kind !== 'model')
    return {
      ...contentAttribute('gen_ai.tool.call.arguments', input, mode),
      ...contentAttribute('gen_ai.tool.call.result', output, mode),
    }
  const messages = (input as unknown as readonly ChatMessage[]).map(toConvention)
  const answers =
    output === undefined ? undefined : [toConvention(output as unknown as ChatMessage)]
  return {
    ...contentAttribute('gen_ai.input.messages', messages, mode),
    ...contentAttribute('gen_ai.output.messages', answers, mode),
  }
}

/** Converts a message to the conventions' format: a role and parts. */
function toConvention({ role, content, toolCalls = [], toolCallId }: ChatMessage): object {
  if (role === 'tool')
    return { role, parts: [{ type: 'tool_call_response', id: toolCallId, response: content }] }
  const given = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  const parts = given.flatMap((part): object[] => {
    if (part.type === 'image') return [{ type: 'uri', modality: 'image', uri: part.url }]
    return part.text === '' ? [] : [{ type: 'text', content: part.text }]
  })
  const calls = toolCalls.map(({ id, name, args }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: args,
  }))
  return { role, parts: [...parts, ...calls] }
}
