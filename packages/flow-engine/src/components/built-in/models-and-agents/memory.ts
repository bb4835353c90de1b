import {
  changeMessage,
  createMessage,
  isMessage,
  type Message,
} from '../../../graph/values/message.ts'
import { createDataFrame } from '../../../graph/values/data-frame.ts'
import { toLiteralText } from '../../../graph/values/literal-text.ts'
import { messageToFields } from '../../../graph/values/message-json.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { fillTemplate, parseTemplate } from '../../text/format-template.ts'
import { messageFromRecord, messageToRecord } from '../../../graph/messages/message-record.ts'
import type { NodeTemplate } from '../../../graph/flow/node-json.ts'
import { output } from '../../define/output.ts'
import type { MessageQuery, MessageService } from '../../define/services.ts'

/** Reads or writes the history of a session. */
export const memory = defineComponent({
  type: 'Memory',
  displayName: 'Message History',
  description: 'Reads stored messages, or stores one.',
  icon: 'message-square-more',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.memory.MemoryComponent',
  keepsSession: true,
  inputs: {
    mode: field.tab({
      displayName: 'Mode',
      default: 'Retrieve',
      refresh: true,
      options: ['Retrieve', 'Store'],
    }),
    message: field.text({
      displayName: 'Message',
      show: false,
      dynamic: true,
      toolMode: true,
      info: 'The message to store.',
    }),
    memory: field.memory({
      displayName: 'External Memory',
      advanced: true,
      info: 'Another message store. If empty, the messages of this service.',
    }),
    sender_type: field.dropdown({
      displayName: 'Sender Type',
      default: 'Machine and User',
      advanced: true,
      options: ['Machine', 'User', 'Machine and User'],
    }),
    sender: field.text({ displayName: 'Sender', advanced: true }),
    sender_name: field.text({ displayName: 'Sender Name', show: false, advanced: true }),
    n_messages: field.int({ displayName: 'Number of Messages', default: 100, advanced: true }),
    session_id: field.text({
      displayName: 'Session ID',
      advanced: true,
      info: 'If empty, the session of the run.',
    }),
    context_id: field.text({ displayName: 'Context ID', advanced: true }),
    order: field.dropdown({
      displayName: 'Order',
      default: 'Ascending',
      required: true,
      advanced: true,
      toolMode: true,
      options: ['Ascending', 'Descending'],
    }),
    template: field.multiline({
      displayName: 'Template',
      default: '{sender_name}: {text}',
      show: false,
      advanced: true,
      info: 'Template for each message, with its fields in braces.',
    }),
  },
  outputs: {
    messages_text: output.message({
      displayName: 'Message',
      method: 'retrieve_messages_as_text',
      async run(inputs, ctx) {
        const messages = await retrieve(inputs, ctx)
        const parts = parseTemplate(inputs.template)
        const rows = messages.map((message) => messageToFields(message))
        const lines = await fillTemplate(parts, rows, ({ name }, row) => fieldText(row, name), '\n')
        const text = lines.join('\n')
        ctx.status(text)
        return text
      },
    }),
    dataframe: output.dataFrame({
      displayName: 'Dataframe',
      method: 'retrieve_messages_dataframe',
      async run(inputs, ctx) {
        const messages = await retrieve(inputs, ctx)
        return createDataFrame(messages.map(messageToFields))
      },
    }),
    // The output in nodes of versions 1.0 to 1.4 (NX-36).
    messages: output.list({
      displayName: 'Data',
      method: 'retrieve_messages',
      dynamic: true,
      run: async (inputs, ctx) => (await retrieve(inputs, ctx)).map(messageToFields),
    }),
    stored_messages: output.message({
      displayName: 'Stored Messages',
      method: 'store_message',
      dynamic: true,
      run: (inputs, ctx) => writeMessage(inputs, ctx),
    }),
  },
  refresh(template, name, value, ctx) {
    if (name !== 'mode') return undefined
    // The fields depend on the submitted mode, the outputs on the requested mode.
    const stores = ctx.held === 'Store'
    if (template.mode !== undefined) template.mode.value = ctx.held
    show(template, stores ? STORE_FIELDS : RETRIEVE_FIELDS, true)
    show(template, stores ? RETRIEVE_ONLY : STORE_ONLY, false)
    const names = value === 'Store' ? ['stored_messages'] : ['messages_text', 'dataframe']
    const outputs = names.map((each) => ctx.output(each))
    // After a change, nodes created by the editor have a plural name for the first output.
    return {
      outputs: outputs.map((each) => ({
        ...each,
        ...(each.name === 'messages_text' ? { display_name: 'Messages' } : {}),
        ...(each.name === 'stored_messages' ? { hidden: true } : {}),
      })),
    }
  },
})

const STORE_FIELDS = ['message', 'memory', 'sender', 'sender_name', 'session_id', 'context_id']
const RETRIEVE_FIELDS = [
  'n_messages',
  'order',
  'template',
  'memory',
  'sender_type',
  'session_id',
  'context_id',
]
const RETRIEVE_ONLY = ['n_messages', 'order', 'template']
const STORE_ONLY = ['message', 'sender', 'sender_name']

function show(template: NodeTemplate, names: readonly string[], shown: boolean): void {
  for (const name of names) {
    const present = template[name]
    if (present !== undefined) present.show = shown
  }
}

/** The inputs needed to store a message. */
export type StoreInputs = Pick<
  MemoryInputs,
  'message' | 'memory' | 'sender' | 'sender_name' | 'session_id' | 'context_id'
>

interface MemoryInputs {
  readonly message: string
  readonly memory: unknown
  readonly sender_type: string
  readonly sender: string
  readonly sender_name: string
  readonly n_messages: number
  readonly session_id: string
  readonly context_id: string
  readonly order: string
}

/** Sorts first, then takes the last `n_messages`, so that descending order returns the oldest. */
async function retrieve(inputs: MemoryInputs, ctx: ComponentContext): Promise<Message[]> {
  if (inputs.n_messages === 0) return []
  const service = storeOf(inputs.memory) ?? ctx.services.messages
  if (service === undefined) return []
  const query: MessageQuery = {
    order: inputs.order === 'Descending' ? 'descending' : 'ascending',
    sessionId: inputs.session_id || ctx.sessionId,
    contextId: inputs.context_id,
    senderName: inputs.sender_name,
    ...(inputs.sender_type === 'Machine and User' ? {} : { sender: inputs.sender_type }),
    ...(inputs.n_messages > 0 ? { last: inputs.n_messages } : {}),
  }
  const records = await service.list(query)
  return records.map(messageFromRecord)
}

/**
 * Stores a message and returns the first message with the same session, sender and name.
 * @throws TypeError if the store keeps nothing
 */
export async function writeMessage(inputs: StoreInputs, ctx: ComponentContext): Promise<Message> {
  const sessionId = inputs.session_id || ctx.sessionId
  const message = createMessage({
    id: ctx.runtime.uuid(),
    text: inputs.message,
    sender: inputs.sender || 'Machine',
    senderName: inputs.sender_name || 'AI',
    sessionId,
    contextId: inputs.context_id,
    flowId: ctx.flowId,
    timestamp: ctx.runtime.now(),
  })
  const service = storeOf(inputs.memory) ?? ctx.services.messages
  if (service === undefined || sessionId === '') return changeMessage(message, {})
  await service.add(messageToRecord(message))
  const [first] = await service.list({
    sessionId,
    contextId: inputs.context_id,
    sender: inputs.sender || 'Machine',
    senderName: inputs.sender_name || 'AI',
    order: 'ascending',
  })
  if (first === undefined) throw new TypeError('No messages were stored.')
  ctx.status(first.text)
  return messageFromRecord(first)
}

function storeOf(value: unknown): MessageService | undefined {
  if (value === null || value === undefined || isMessage(value)) return undefined
  const found = Object(value) as Partial<MessageService>
  if (typeof found.list === 'function' && typeof found.add === 'function') {
    return value as MessageService
  }
  throw new TypeError('The external memory can neither list nor add messages')
}

function fieldText(fields: Readonly<Record<string, unknown>>, name: string | undefined): string {
  if (name === undefined || !Object.hasOwn(fields, name)) return ''
  return toLiteralText(fields[name])
}
