import type { Runtime } from '@x/wire'
import type { ComponentServices, MessageQuery, MessageRecord } from '@x/flow-engine'

/** A conversation turn that the client stores and sends along. */
export interface EarlierTurn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/**
 * Services whose message history begins with these turns, which are not stored. They are part of
 * whatever session is read.
 */
export function withEarlierTurns(
  services: ComponentServices,
  turns: readonly EarlierTurn[],
  runtime: Pick<Runtime, 'now' | 'uuid'> | undefined,
): ComponentServices {
  const { messages } = services
  if (turns.length === 0 || messages === undefined) return services
  const now = runtime?.now().getTime() ?? 0
  const records = turns.map((turn, index) => ({
    id: runtime?.uuid() ?? `earlier-${index}`,
    timestamp: new Date(now - (turns.length - index)),
    ...textOf(turn),
  }))
  return {
    ...services,
    messages: {
      add: (message) => messages.add(message),
      update: (message) => messages.update(message),
      remove: (id) => messages.remove(id),
      async list(query) {
        const { last, order = 'ascending' } = query
        if (last !== undefined && last <= 0) return []
        const stored = await messages.list(query)
        const earlier = records.filter(isAskedFor(query)).map((record) => toRecord(record, query))
        const all =
          order === 'ascending' ? [...earlier, ...stored] : [...stored, ...earlier.toReversed()]
        return last === undefined ? all : all.slice(-last)
      },
    },
  }
}

type TurnMessage = Pick<MessageRecord, 'id' | 'timestamp' | 'sender' | 'senderName' | 'text'>

function textOf({ role, text }: EarlierTurn) {
  return role === 'user'
    ? { sender: 'User', senderName: 'User', text }
    : { sender: 'Machine', senderName: 'AI', text }
}

function isAskedFor({ sender = '', senderName = '' }: MessageQuery) {
  return (kept: TurnMessage): boolean =>
    (sender === '' || kept.sender === sender) &&
    (senderName === '' || kept.senderName === senderName)
}

function toRecord(
  kept: TurnMessage,
  { sessionId = '', flowId, contextId }: MessageQuery,
): MessageRecord {
  return {
    ...kept,
    flowId: flowId ?? null,
    sessionId,
    contextId: contextId ?? null,
    files: [],
    error: false,
    edit: false,
    category: 'message',
    properties: {},
    contentBlocks: [],
    duration: null,
  }
}
