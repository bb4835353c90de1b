import { isObject, parseJson } from '@x/wire'
import {
  type ComponentContext,
  type MessageRecord,
  type MessageService,
  type RedisConnection,
  errorText,
} from '@x/flow-engine'
import { createMessage, defineComponent, field, output } from '@x/flow-engine'
import { messageToRecord } from '@x/flow-engine/internal'

/** The most messages of a session that are read, newest first. */
const MOST = 10_000
const PREFIX = 'message_store:'

/** Keeps the messages of Message History in Redis, in the form that other programs of the framework write. */
export const redisChatMemory = defineComponent({
  type: 'RedisChatMemory',
  displayName: 'Redis Chat Memory',
  description: 'Stores the messages of a session in Redis and returns them.',
  icon: 'Redis',
  category: 'redis',
  module: 'lfx.components.redis.redis_chat.RedisIndexChatMemory',
  inputs: {
    host: field.string({ displayName: 'hostname', required: true, default: 'localhost' }),
    port: field.int({ displayName: 'port', required: true, default: 6379 }),
    database: field.string({ displayName: 'database', required: true, default: '0' }),
    username: field.text({ displayName: 'Username', advanced: true }),
    password: field.secret({ displayName: 'Redis Password', advanced: true }),
    key_prefix: field.string({ displayName: 'Key prefix', advanced: true }),
    session_id: field.text({ displayName: 'Session ID', advanced: true }),
  },
  outputs: {
    memory: output.any({
      displayName: 'Memory',
      method: 'build_message_history',
      types: ['Memory'],
      run: (inputs, ctx) => storeOf(inputs, ctx),
    }),
  },
})

interface Place {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly username: string
  readonly password: string | null
  readonly key_prefix: string
}

function storeOf(place: Place, ctx: ComponentContext): MessageService {
  const keyOf = (session: string): string => `${place.key_prefix || PREFIX}${session}`
  return {
    add: (message) =>
      connected(place, ctx, (redis) => redis.push(keyOf(message.sessionId), textOf(message))),
    async list({ sessionId = '', sender, last, order }) {
      const key = keyOf(sessionId)
      const texts = await connected(place, ctx, (redis) => redis.range(key, last ?? MOST))
      const found = texts.flatMap((text) => recordOf(text, sessionId) ?? [])
      const kept = found.filter(
        (one) => sender === undefined || sender === '' || one.sender === sender,
      )
      return order === 'descending' ? kept : kept.toReversed()
    },
    update: refuse,
    remove: refuse,
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(new TypeError('Messages in Redis are not changed'))

async function connected<T>(
  { host, port, database, username, password }: Place,
  ctx: ComponentContext,
  work: (redis: RedisConnection) => Promise<T>,
): Promise<T> {
  const { redis } = ctx.services
  if (redis === undefined)
    throw new TypeError(
      'No Redis is set up for flows. The operator names its hosts in SERVICE_REDIS_HOSTS, a host app passes services.redis.',
    )
  if (!/^\d{1,4}$/.test(database.trim())) throw new TypeError(`Redis has no database '${database}'`)
  const given = { ...(username !== '' && { username }), ...(password && { password }) }
  const place = { host: host.trim(), port, database: Number(database), ...given }
  try {
    const connection = await redis.connect(place, { signal: ctx.signal })
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`Redis Chat Memory: ${errorText(error)}`, { cause: error })
  }
}

function textOf({ sender, text }: MessageRecord): string {
  const type = sender === 'User' || sender === null || sender === '' ? 'human' : 'ai'
  const data = { content: text, additional_kwargs: {}, response_metadata: {}, type }
  return JSON.stringify({ type, data: { ...data, name: null, id: null } })
}

/** Undefined for what is no message of a person or a model. */
function recordOf(text: string, sessionId: string): MessageRecord | undefined {
  const { type, data } = asObject(text)
  const content = isObject(data) ? data['content'] : undefined
  if (typeof content !== 'string' || (type !== 'human' && type !== 'ai')) return undefined
  const isUser = type === 'human'
  const names = isUser
    ? { sender: 'User', senderName: 'User' }
    : { sender: 'Machine', senderName: 'AI' }
  return messageToRecord(createMessage({ text: content, sessionId, ...names }))
}

function asObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = parseJson(text)
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
