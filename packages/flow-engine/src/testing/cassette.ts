import { isObject } from '@x/wire'
import { errorText, FlowError, isFlowError, type FlowErrorCode } from '../errors.ts'
import type { ChatChunk, ChatModel, ChatRequest, Embedder } from '../models/chat-model.ts'
import { readExchange, toRequestJson, toResponse } from './taped-fetch.ts'
import {
  cassetteMiss,
  ordered,
  orderedJson,
  readTape,
  type TapeEntry,
  type TapeJson,
} from './tape.ts'

export interface CassetteOptions {
  /** A previous recording. */
  readonly tape?: TapeJson
  /**
   * `replay` sends no requests, `record` always sends them, `auto` sends those the tape does not contain.
   * Default `replay`.
   */
  readonly mode?: 'replay' | 'record' | 'auto'
  /** Strings that are never recorded: they are replaced by `*****`. */
  readonly secrets?: readonly string[]
}

/** Replays responses of models and servers from a tape, or records them. */
export interface Cassette {
  /** @param real required for recording */
  model(real?: ChatModel): ChatModel
  embedder(real?: Embedder): Embedder
  fetch(real?: typeof fetch): typeof fetch
  /** Entries of the tape that were not used by any request. */
  unused(): TapeEntry[]
  toJSON(): TapeJson
}

/**
 * Requests are matched by content: messages, tools, format, model and parameters. Equal requests get
 * their responses in recorded order; failures are replayed too.
 * @throws FlowError (in calls) `cassette_miss` for a request that is not recorded
 */
export function createCassette(options: CassetteOptions = {}): Cassette {
  const { tape, mode = 'replay', secrets = [] } = options
  const hide = createMasker(secrets)
  const known = readTape(tape)
  const used = new Set<TapeEntry>()
  const entries: TapeEntry[] = mode === 'record' ? [] : [...known]
  const byKey = new Map<string, TapeEntry[]>()
  if (mode !== 'record')
    for (const entry of known) {
      const key = keyOf(entry.kind, entry.request)
      byKey.set(key, [...(byKey.get(key) ?? []), entry])
    }

  const replayed = (kind: TapeEntry['kind'], asked: unknown): TapeEntry | undefined => {
    const request = hide(asked)
    const list = byKey.get(keyOf(kind, request))
    const entry = list?.find((one) => !used.has(one))
    if (entry !== undefined) used.add(entry)
    else if (mode === 'replay') throw cassetteMiss(kind, request, known)
    return entry
  }
  /** Entries keep the order of requests, whenever their responses arrive. */
  const recorded = (kind: TapeEntry['kind'], asked: unknown) => {
    const request = hide(asked)
    const at = entries.push({ kind, request }) - 1
    return (outcome: Pick<TapeEntry, 'answer' | 'failure'>): void => {
      const entry = { kind, request, ...(hide(outcome) as typeof outcome) }
      entries[at] = entry
      used.add(entry)
    }
  }
  const once = async <T>(
    kind: TapeEntry['kind'],
    request: unknown,
    {
      ask,
      keep,
      play,
    }: {
      readonly ask: () => Promise<T>
      readonly keep: (value: T) => unknown
      readonly play: (answer: unknown) => T
    },
  ): Promise<T> => {
    const entry = replayed(kind, request)
    if (entry?.failure !== undefined) throw failureOf(entry.failure)
    if (entry !== undefined) return play(entry.answer)
    const end = recorded(kind, request)
    try {
      const value = await ask()
      end({ answer: keep(value) })
      return value
    } catch (error) {
      end({ failure: failureJson(error) })
      throw error
    }
  }

  return {
    model: (real) => ({
      name: real?.name ?? 'cassette',
      async *stream(asked) {
        const request = chatJson(asked)
        const entry = replayed('model', request)
        if (entry !== undefined) {
          asked.signal.throwIfAborted()
          yield* (entry.answer ?? []) as ChatChunk[]
          if (entry.failure !== undefined) throw failureOf(entry.failure)
          return
        }
        const end = recorded('model', request)
        const chunks: ChatChunk[] = []
        try {
          for await (const chunk of needed(real, 'model').stream(asked)) {
            chunks.push(chunk)
            yield chunk
          }
          end({ answer: chunks })
        } catch (error) {
          end({ answer: chunks, failure: failureJson(error) })
          throw error
        }
      },
    }),
    embedder: (real) => ({
      embed: (texts, signal) =>
        once<number[][]>(
          'embedding',
          { texts: [...texts] },
          {
            ask: () => needed(real, 'embedder').embed(texts, signal),
            keep: (vectors) => vectors,
            play: (vectors) => vectors as number[][],
          },
        ),
    }),
    fetch: (real) => async (input, init) => {
      const asked = new Request(input, init)
      const { request, body } = await toRequestJson(asked)
      const exchange = await once('request', request, {
        ask: async () =>
          readExchange(
            await needed(real, 'fetch')(asked.url, {
              ...init,
              method: asked.method,
              headers: asked.headers,
              ...(body === null ? {} : { body }),
              signal: asked.signal,
            }),
          ),
        keep: ({ json }) => json,
        play: (json) => ({ json: json as never, url: asked.url }),
      })
      return toResponse(exchange)
    },
    unused: () => (mode === 'record' ? [] : known.filter((entry) => !used.has(entry))),
    toJSON: () => ({ version: 1, entries: entries.map((entry) => ordered(entry) as TapeEntry) }),
  }
}

/** Masks secrets, also in JSON-escaped form. */
function createMasker(secrets: readonly string[]): (value: unknown) => unknown {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .toSorted((a, b) => b.length - a.length)
  const hidden = (text: string): string =>
    forms.reduce((left, form) => left.replaceAll(form, '*****'), text)
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return hidden(value)
    if (Array.isArray(value)) return value.map(hide)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [hidden(key), hide(item)]))
  }
  return forms.length === 0 ? (value) => value : hide
}

function keyOf(kind: TapeEntry['kind'], request: unknown): string {
  return `${kind} ${orderedJson(request)}`
}

function needed<T>(real: T | undefined, what: string): T {
  if (real !== undefined) return real
  throw new FlowError('invalid_request', `Recording needs ${what}: pass it to createCassette`)
}

/** Without the signal, and without call ids, which differ between runs. */
function chatJson({ signal: _, messages, ...rest }: ChatRequest): unknown {
  const plain = messages.map(({ toolCallId: _id, toolCalls, ...message }) => ({
    ...message,
    ...(toolCalls === undefined
      ? {}
      : { toolCalls: toolCalls.map(({ name, args }) => ({ name, args })) }),
  }))
  return JSON.parse(JSON.stringify({ ...rest, messages: plain })) as unknown
}

function failureJson(error: unknown): { code: string; message: string } {
  return { code: isFlowError(error) ? error.code : 'component_failed', message: errorText(error) }
}

function failureOf({ code, message }: { readonly code: string; readonly message: string }): Error {
  return new FlowError(code as FlowErrorCode, message)
}
