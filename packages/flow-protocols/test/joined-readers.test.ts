import {
  asSchema,
  readUIMessageStream,
  uiMessageChunkSchema,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { describe, expect, test } from 'vitest'
import type { SuspendedJson } from '@x/flow-engine'
import { smallAndFull } from '@x/test-kit/small-and-full'
import { ChunkWriter, type ClientVersion } from '../src/ai-sdk/chunks.ts'
import type { FileLinks } from '../src/files/file-links.ts'
import type { TurnPart } from '../src/parts/turn-part.ts'
import { plain } from './chat.ts'

const questionOf = (requestId: string): SuspendedJson => ({
  job_id: 'turn',
  request_id: requestId,
  vertex_id: 'Ask',
  kind: 'choice',
  prompt: 'Go on?',
  options: [{ action_id: 'yes', label: 'Yes' }],
  allowed_decisions: ['yes'],
  schema: null,
  question: null,
  asked_at: '2026-01-01T00:00:00Z',
  expires_at: null,
})

/** Numbers below `limit`, the same for one seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c_1b_3c_6d) + 0x9e_37_79_b9) | 0
    return ((state ^ (state >>> 12)) >>> 0) % limit
  }
}

/** A turn as flows make them: texts and thoughts of several messages at once, tools, withdrawals, questions. */
function turnOf(seed: number): TurnPart[] {
  const next = numbers(seed)
  const parts: TurnPart[] = []
  const open: { readonly kind: 'text' | 'reasoning'; readonly id: string }[] = []
  const calls: string[] = []
  const messages: string[] = []
  const closeAll = (): void => {
    for (const { kind, id } of open.splice(0)) parts.push({ kind: `${kind}-end`, id })
  }
  for (let n = 0; n < 12; n += 1) {
    const id = `m${n}`
    const steps: (() => void)[] = [
      () => {
        parts.push({ kind: 'text-start', id, messageId: id })
        open.push({ kind: 'text', id })
        messages.push(id)
      },
      () => {
        parts.push({ kind: 'reasoning-start', id: `r${n}`, messageId: id })
        open.push({ kind: 'reasoning', id: `r${n}` })
      },
      () => {
        const one = open[next(open.length || 1)]
        if (one !== undefined) parts.push({ kind: one.kind, id: one.id, text: `t${n} ` })
      },
      () => {
        const [one] = open.splice(next(open.length || 1), 1)
        if (one !== undefined) parts.push({ kind: `${one.kind}-end`, id: one.id })
      },
      () => {
        parts.push({ kind: 'call', id: `c${n}`, name: 'send', input: { n } })
        calls.push(`c${n}`)
      },
      () => {
        const [call] = calls.splice(0, 1)
        if (call === undefined) return
        if (next(2) === 0) parts.push({ kind: 'result', id: call, output: { sent: n } })
        else parts.push({ kind: 'call-error', id: call, error: 'broken' })
      },
      () => parts.push({ kind: 'block', id: `b${next(2)}`, block: { type: 'json', data: n } }),
      () => parts.push({ kind: 'file', path: `f/${n}.png`, messageId: id }),
      () =>
        parts.push({ kind: 'source', id: `${id}:0`, source: { type: 'url', url: 'https://a.io' } }),
      () => {
        const messageId = messages[next(messages.length || 1)]
        if (messageId === undefined || open.some((one) => one.id === messageId)) return
        parts.push({ kind: 'withdrawn', messageId, calls: [] })
      },
      () => {
        closeAll()
        // What stood when a run rested is never withdrawn.
        messages.length = 0
        parts.push({ kind: 'question', question: questionOf(`q${n}`) })
        parts.push({ kind: 'answer', requestId: `q${n}`, decision: { action_id: 'yes' } })
      },
    ]
    steps[next(steps.length)]?.()
  }
  closeAll()
  return [...parts, { kind: 'end', cancelled: false }]
}

const files: FileLinks = {
  link: (path: string) => ({ url: `https://files.example/${path}`, mediaType: 'image/png' }),
  block: (block: object) => block,
} as unknown as FileLinks
const metadata = {
  turnId: 'turn',
  chatId: 'chat',
  flowId: 'flow',
  createdAt: '2026-01-01T00:00:00Z',
}
const schema = asSchema(uiMessageChunkSchema())

/** What the official client holds at the end. */
async function read(chunks: readonly { readonly type: string }[]): Promise<UIMessage | undefined> {
  for (const chunk of chunks) {
    const checked = await schema.validate?.(chunk)
    expect({ ...chunk, ...checked }).toMatchObject({ ...chunk, success: true })
  }
  const stream = ReadableStream.from(chunks as Iterable<UIMessageChunk>)
  let last: UIMessage | undefined
  const onError = (error: unknown): void => {
    throw error
  }
  for await (const message of readUIMessageStream({ stream, onError })) last = message
  return last === undefined ? undefined : plain(last)
}

/** @param cut the number of parts that stand when the reader joins; 0: it reads from the beginning */
function chunksOf(parts: readonly TurnPart[], cut: number, version: ClientVersion) {
  const writer = new ChunkWriter({ version, metadata, files, reasoning: true })
  for (const part of parts.slice(0, cut)) writer.skip(part)
  const facts = { durationMs: 5, usage: undefined }
  return [
    ...writer.start(),
    ...writer.standing(),
    ...parts.slice(cut).flatMap((part) => writer.write(part)),
    ...writer.finish(facts),
  ]
}

describe('readers that join', () => {
  for (const [text, size, options] of smallAndFull(5, 2000))
    test(
      `DO-23: ${text} turns, cut at every place, leave the official client with the same message`,
      options,
      async () => {
        for (let seed = 1; seed <= size; seed += 1) {
          const parts = turnOf(seed)
          const whole = await read(chunksOf(parts, 0, 7))
          for (let cut = 1; cut < parts.length; cut += 1)
            expect({ seed, cut, held: await read(chunksOf(parts, cut, 7)) }).toEqual({
              seed,
              cut,
              held: whole,
            })
        }
      },
    )

  test('DO-35: versions 5 and 6 get no chunk that they would reject', () => {
    const rejected = {
      5: /^(reset-step|tool-approval-re|tool-output-denied)/,
      6: /^(reset-step|tool-approval-response)/,
    }
    for (const version of [5, 6] as const)
      for (let seed = 1; seed <= 200; seed += 1)
        for (const { type } of chunksOf(turnOf(seed), 0, version))
          expect(type).not.toMatch(rejected[version])
  })
})
