import type { ComponentContext } from '../components/define/context.ts'
import {
  isChatModel,
  isEmbedder,
  isTool,
  type ChatMessage,
  type ChatModel,
} from '../models/chat-model.ts'
import { isMessage } from '../graph/values/message.ts'
import { isObject } from '../wire/scalars.ts'
import type { InterpreterHost } from './interpreter.ts'
import { decodeValue, OutgoingValues } from './values.ts'
import type { WebAccess } from './web-access.ts'

/** Lines that one call may log, and the characters of each. */
const LINES = 1000
const LINE = 10_000

/** What the code of a node may ask while it runs: no more than a component of the host has. */
export function createRunHost(
  ctx: ComponentContext,
  lent: readonly unknown[],
  web: WebAccess,
): InterpreterHost {
  let lines = 0
  const log = (name: string, value: unknown): void => {
    lines += 1
    if (lines <= LINES) ctx.log(name.slice(0, 200), short(value))
  }

  return {
    notice({ op, name, value, text }) {
      if (op === 'log') log(String(name), decodeValue(value, lent))
      else if (op === 'status') ctx.status(short(decodeValue(value, lent)))
      else if (op === 'stop' && typeof name === 'string') ctx.stop(name)
      else if (op === 'start' && typeof name === 'string') ctx.start(name)
      else if (op === 'web' && typeof text === 'string') log('Network', text)
    },
    async call({ op, ...question }, signal) {
      if (op === 'fetch') return web(question, signal)
      if (op === 'variable') return readVariable(ctx, question['name'])
      if (op === 'message') return sendMessage(ctx, question['message'], lent)
      if (op === 'handle') return useHandle(lent, question, signal)
      throw new TypeError('not offered')
    },
  }
}

function short(value: unknown): unknown {
  return typeof value === 'string' && value.length > LINE ? value.slice(0, LINE) : value
}

async function readVariable(ctx: ComponentContext, name: unknown): Promise<string> {
  if (typeof name !== 'string') throw new TypeError('The name of a variable is a text')
  const found = await ctx.variable(name)
  if (found === null) throw new Error(`${name} variable not found.`)
  return typeof found === 'string' ? found : found.value
}

async function sendMessage(
  ctx: ComponentContext,
  given: unknown,
  lent: readonly unknown[],
): Promise<unknown> {
  const message = decodeValue(given, lent)
  if (!isMessage(message)) throw new TypeError('send_message takes a Message')
  return new OutgoingValues().encode(await ctx.sendMessage(message))
}

async function useHandle(
  lent: readonly unknown[],
  { id, method, args }: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const handle = lent[Number(id)]
  const list = Array.isArray(args) ? args : []
  if (method === 'invoke' && isChatModel(handle)) return askModel(handle, list[0], signal)
  if (method === 'embed' && isEmbedder(handle)) {
    const texts = Array.isArray(list[0]) ? list[0].map(String) : []
    return handle.embed(texts, signal)
  }
  if (method === 'tool' && isTool(handle)) {
    return new OutgoingValues().encode(await handle.call(list[0] ?? {}, { signal }))
  }
  throw new TypeError('not offered')
}

async function askModel(model: ChatModel, given: unknown, signal: AbortSignal): Promise<string> {
  const messages = (Array.isArray(given) ? given : []).filter(isObject).map(toChatMessage)
  let text = ''
  for await (const chunk of model.stream({ messages, stream: false, signal })) {
    if ('text' in chunk) text += chunk.text
  }
  return text
}

const ROLES = new Set(['system', 'user', 'assistant'])

function toChatMessage({ role, text }: Record<string, unknown>): ChatMessage {
  const known = typeof role === 'string' && ROLES.has(role) ? role : 'user'
  return { role: known as ChatMessage['role'], content: typeof text === 'string' ? text : '' }
}
