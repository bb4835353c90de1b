import type { ComponentContext } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import type { GuestObjects } from './guest-objects.ts'
import { ModelStreams, useHandle } from './host-handles.ts'
import type { InterpreterHost } from './interpreter.ts'
import { createObject } from './made-objects.ts'
import { runAgent } from './run-agent.ts'
import { decodePythonValue, OutgoingValues } from './values.ts'
import type { TextStream } from './text-stream.ts'
import type { WebAccess } from './web-access.ts'

/** Maximum number of log lines per call, and of characters per line. */
const LINES = 1000
const LINE = 10_000

interface HostParts {
  /** Host objects that the code refers to by number. */
  readonly lent: unknown[]
  readonly guest: GuestObjects
  readonly web: WebAccess
  readonly stream: TextStream
}

/**
 * Creates the host functions for the code of a running node. They offer no more than a host component has.
 */
export function createRunHost(
  ctx: ComponentContext,
  { lent, guest, web, stream }: HostParts,
): InterpreterHost {
  const streams = new ModelStreams()
  let lines = 0
  const log = (name: string, value: unknown): void => {
    lines += 1
    if (lines <= LINES) ctx.log(name.slice(0, 200), short(value))
  }

  return {
    notice({ op, name, value, text }) {
      if (op === 'log') log(String(name), decodePythonValue(value, lent))
      else if (op === 'token' && typeof text === 'string') stream.token(text)
      else if (op === 'status') ctx.status(short(decodePythonValue(value, lent)))
      else if (op === 'stop' && typeof name === 'string') ctx.stop(name)
      else if (op === 'exclude' && typeof name === 'string') ctx.exclude(name)
      else if (op === 'start' && typeof name === 'string') ctx.start(name)
      else if (op === 'web' && typeof text === 'string') log('Network', text)
    },
    call: (question, signal) => guest.answer(question, () => answer(question, signal)),
  }

  async function answer({ op, ...question }: Record<string, unknown>, signal: AbortSignal) {
    if (op === 'fetch') return web(question, signal)
    if (op === 'variable') return readVariable(ctx, question['name'])
    if (op === 'message') return sendMessage(ctx, question['message'], lent)
    if (op === 'handle') return useHandle(lent, question, { signal, streams })
    if (op === 'create') return lent.push(await createObject(question, ctx)) - 1
    if (op === 'agent') return runAgent(lent, question, ctx)
    if (op === 'keep') return guest.keep(question, lent)
    throw new TypeError('not offered')
  }
}

function short(value: unknown): unknown {
  return typeof value === 'string' && value.length > LINE ? value.slice(0, LINE) : value
}

async function readVariable(ctx: ComponentContext, name: unknown): Promise<string> {
  if (typeof name !== 'string') throw new TypeError('A variable name must be a string')
  const found = await ctx.variable(name)
  if (found === null) throw new Error(`${name} variable not found.`)
  return typeof found === 'string' ? found : found.value
}

async function sendMessage(
  ctx: ComponentContext,
  given: unknown,
  lent: readonly unknown[],
): Promise<unknown> {
  const message = decodePythonValue(given, lent)
  if (!isMessage(message)) throw new TypeError('send_message expects a Message')
  return new OutgoingValues().encode(await ctx.sendMessage(message))
}
