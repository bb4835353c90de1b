import { limitExceeded } from '../../errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { VertexContext } from './vertex-context.ts'
import { changeMessage, isMessage, type Message } from '../values/message.ts'

/**
 * Reads a streamed text. If it leads to a chat output and there is a session, the message is stored
 * and announced with the first chunk, and each chunk is sent; otherwise the text is collected silently. The
 * returned value always has the full text.
 */
export async function finishStream(
  value: unknown,
  ctx: VertexContext,
  run: RunContext,
): Promise<unknown> {
  if (!isMessage(value) || typeof value.text === 'string') return value
  if (!ctx.streams || !run.messages.keeps(value))
    return changeMessage(value, { text: await readAll(value.text, { ctx, run }) })
  return stream(value, value.text, { ctx, run })
}

interface Streaming {
  readonly ctx: VertexContext
  readonly run: RunContext
}

async function stream(
  message: Message,
  text: AsyncIterable<string>,
  { ctx, run }: Streaming,
): Promise<Message> {
  let partial: Message | undefined
  const chunks: string[] = []
  const checkLength = lengthCheck(run)
  const { signal } = ctx
  try {
    for await (const chunk of text) {
      if (signal.aborted) break
      // Nothing to announce before the model starts to respond.
      partial ??= await begin(message, ctx)
      checkLength(chunk)
      chunks.push(chunk)
      ctx.token(chunk, partial.id)
    }
  } catch (error) {
    if (!signal.aborted && partial?.id !== undefined) await run.messages.withdraw(partial.id)
    else if (!signal.aborted && ctx.nextMessage !== undefined)
      await run.messages.retract([ctx.nextMessage])
    throw error
  }
  // The message log keeps the text received before the run was stopped.
  signal.throwIfAborted()
  ctx.flush()
  if (partial === undefined) return changeMessage(message, { text: '' })
  const whole = changeMessage(partial, {
    text: chunks.join(''),
    properties: { ...partial.properties, state: 'complete' },
  })
  run.messages.finished(whole)
  return whole
}

/** Announces the message, with the id that its reasoning was sent with. */
function begin(message: Message, ctx: VertexContext): Promise<Message> {
  const { nextMessage: id } = ctx
  ctx.nextMessage = undefined
  const partial = partialOf(message, ctx)
  return ctx.sendMessage(id === undefined ? partial : changeMessage(partial, { id }))
}

/** The message that is stored and shown while the text arrives. */
function partialOf(message: Message, ctx: VertexContext): Message {
  const { source } = message.properties
  const { vertexId: id, displayName: display_name } = ctx
  return changeMessage(message, {
    text: '',
    sender: message.sender ?? 'Machine',
    senderName: message.senderName ?? ctx.chatOutput?.senderName ?? 'AI',
    properties: {
      ...message.properties,
      source: source.id === null ? { id, display_name, source: display_name } : source,
      state: 'partial',
    },
  })
}

async function readAll(text: AsyncIterable<string>, { ctx, run }: Streaming): Promise<string> {
  const chunks: string[] = []
  const checkLength = lengthCheck(run)
  for await (const chunk of text) {
    checkLength(chunk)
    chunks.push(chunk)
  }
  ctx.signal.throwIfAborted()
  return chunks.join('')
}

/** Bounds the memory used by a text that never ends. */
function lengthCheck({ limits: { valueBytes } }: RunContext): (chunk: string) => void {
  let bytes = 0
  return (chunk) => {
    bytes += 2 * chunk.length
    if (bytes <= valueBytes) return
    throw limitExceeded('valueBytes', `a streamed text is larger than ${valueBytes} bytes`)
  }
}
