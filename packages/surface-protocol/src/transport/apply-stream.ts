import { diagnosticOf } from '../diagnostics/errors.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { ApplyResult, SurfaceStore } from '../store/store.ts'
import { readJsonLines, type JsonLine, type JsonLinesSource } from './json-lines.ts'

/** Options of a stream. */
export interface ApplyStreamOptions {
  /** Ends the stream; the iteration throws the signal's reason. */
  readonly signal?: AbortSignal
  readonly limits?: Partial<SurfaceLimits>
}

/** Applies every line of a stream to a store; diagnostics contain their line. */
export async function* applyStream(
  store: SurfaceStore,
  source: JsonLinesSource,
  options: ApplyStreamOptions = {},
): AsyncGenerator<ApplyResult & { line: number }, void, undefined> {
  const { signal } = options
  const lines = readJsonLines(stoppable(source, signal), options)
  for await (const line of lines) {
    signal?.throwIfAborted()
    yield line.error === undefined
      ? { line: line.line, ...store.apply(line.value, { line: line.line }) }
      : refusal(line)
  }
}

function refusal({ line, offset, error }: Extract<JsonLine, { error: object }>): ApplyResult & {
  line: number
} {
  const diagnostics = [{ ...diagnosticOf(error), offset }]
  return { applied: false, surfaceId: null, diagnostics, change: null, line }
}

/** The source, ended with the signal's reason even while waiting for a chunk. */
async function* stoppable(
  source: JsonLinesSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array | string, void, undefined> {
  const iterator = (source as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]()
  let stop: (reason: unknown) => void = () => undefined
  const onAbort = (): void => stop(signal?.reason)
  // One promise per chunk: racing against a single one would accumulate a reaction for every chunk.
  const next = (): Promise<IteratorResult<Uint8Array | string>> =>
    new Promise((resolve, reject) => {
      stop = reject
      if (signal?.aborted === true) reject(signal.reason as Error)
      else iterator.next().then(resolve, reject)
    })
  let finished = false
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      const result = await next()
      if (result.done === true) {
        finished = true
        return
      }
      yield result.value
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    if (!finished) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
