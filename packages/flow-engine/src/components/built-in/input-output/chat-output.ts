import { toTextInTurns } from '../../../graph/values/convert.ts'
import { isData } from '../../../graph/values/data.ts'
import { isDataFrame } from '../../../graph/values/data-frame.ts'
import {
  changeMessage,
  createMessage,
  isMessage,
  isStream,
  type Message,
} from '../../../graph/values/message.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { nameOfType } from '../../values/field-values.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { messageFields } from './message-fields.ts'

/** Returns the flow's answer, which is stored and announced if there is a session. */
export const chatOutput = defineComponent({
  type: 'ChatOutput',
  displayName: 'Chat Output',
  description: 'Shows a message in the chat.',
  icon: 'MessagesSquare',
  category: 'input_output',
  module: 'lfx.components.input_output.chat_output.ChatOutput',
  role: 'output',
  minimized: true,
  inputs: {
    input_value: field.handle({
      displayName: 'Inputs',
      required: true,
      types: ['Data', 'DataFrame', 'Message'],
    }),
    ...messageFields({
      sender: 'Machine',
      senderName: 'AI',
      sessionInfo: 'If empty, the session of the message or the run.',
    }),
    data_template: field.text({
      displayName: 'Data Template',
      default: '{text}',
      advanced: true,
      info: 'Has no effect; kept for older flows.',
    }),
    clean_data: field.bool({
      displayName: 'Basic Clean Data',
      default: true,
      advanced: true,
      info: 'Remove empty rows and blank cells from tables in lists.',
    }),
  },
  outputs: {
    message: output.message({
      displayName: 'Output Message',
      method: 'message_response',
      async run(inputs, ctx) {
        const text = await textOf(inputs.input_value, inputs.clean_data)
        const incoming = reused(inputs.input_value, ctx)
        const sessionId = inputs.session_id || incoming.sessionId || ctx.sessionId
        const message = changeMessage(incoming, {
          text,
          sender: inputs.sender,
          senderName: inputs.sender_name,
          sessionId,
          contextId: inputs.context_id,
          flowId: ctx.flowId,
          properties: { ...incoming.properties, state: 'complete', source: sourceOf(ctx) },
        })
        const stores = inputs.should_store_message && sessionId !== ''
        const sent = stores ? await ctx.sendMessage(message) : message
        ctx.status(sent)
        return sent
      },
    }),
  },
})

/** Prompt components, by all their names. They pass the images of their variables to the model. */
const PROMPTS: ReadonlySet<string> = new Set(['Prompt Template', 'Prompt', 'PromptTemplate'])

/**
 * A message from a component other than a chat input keeps its own properties. The files of a prompt belong
 * to the question and are not repeated in the answer.
 */
function reused(value: unknown, ctx: ComponentContext): Message {
  const types = ctx.sources('input_value').map(({ type }) => type)
  if (!isMessage(value) || types.includes('ChatInput'))
    return createMessage({ timestamp: ctx.runtime.now() })
  return types.some((type) => PROMPTS.has(type)) ? changeMessage(value, { files: [] }) : value
}

function sourceOf(ctx: ComponentContext) {
  const source = ctx.sources('input_value')[0]
  return {
    id: source?.vertexId ?? null,
    display_name: source?.displayName ?? null,
    source: source?.model ?? source?.displayName ?? null,
  }
}

async function textOf(value: unknown, cleanData: boolean): Promise<string | AsyncIterable<string>> {
  if (value === null || value === undefined) throw new TypeError('Input data cannot be None')
  if (Array.isArray(value)) {
    if (!value.every(isShown)) {
      const kinds = value.map((item) => `'${nameOfType(item)}'`).join(', ')
      throw new TypeError(`Expected Data or DataFrame or Message or str, got [${kinds}]`)
    }
    const texts: string[] = []
    for (const item of value) texts.push(await toTextInTurns(item, { cleanData }))
    return texts.join('\n')
  }
  if (isMessage(value)) return value.text
  if (isStream(value)) return value
  if (!isShown(value)) {
    throw new TypeError(
      `Expected Data or DataFrame or Message or str, Generator or None, got ${nameOfType(value)}`,
    )
  }
  return await toTextInTurns(value)
}

function isShown(value: unknown): boolean {
  return typeof value === 'string' || isMessage(value) || isData(value) || isDataFrame(value)
}
