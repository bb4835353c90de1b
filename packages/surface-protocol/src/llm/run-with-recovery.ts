import { append } from '@x/wire'
import { copyStore } from '../store/store.ts'
import { SurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { formatErrorTurn } from './error-turn.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { RequestProcessor } from './request-processor.ts'

/** What a model is asked for. */
export interface GenerateRequest {
  /** From 1. */
  readonly attempt: number
  /** The description of messages and catalogs. */
  readonly prompt: string
  /** What was wrong with the last answer; empty at first. */
  readonly errorTurn: string
  /** The last answer; empty at first. */
  readonly previous: string
  readonly signal: AbortSignal | undefined
}

/** A problem of an attempt. */
export type AttemptError = Extract<ExtractedPart, { kind: 'error' }> | SurfaceDiagnostic

/** One answer of a model. */
export interface RecoveryAttempt {
  readonly ok: boolean
  readonly errors: readonly AttemptError[]
  readonly text: string
  readonly repairs: readonly string[]
}

/** A part of the running attempt; `reset`: what was shown of these surfaces is void. */
export type RecoveryPart = ExtractedPart | { kind: 'reset'; surfaceIds: string[] }

/** Options of a run. */
export interface RunWithRecoveryOptions {
  readonly processor: RequestProcessor
  /** Asks the model. */
  readonly generate: (
    request: GenerateRequest,
  ) => string | AsyncIterable<string> | Promise<string | AsyncIterable<string>>
  /** 1 to 10. Default: 3. */
  readonly maxAttempts?: number
  /** Maximum characters of an error turn. Default: 2000. */
  readonly maxErrorChars?: number
  /** Maximum characters of an answer. Default: 1000000. */
  readonly maxOutputChars?: number
  /** An answer without a message is an error. Default: false. */
  readonly requireMessage?: boolean
  /** Called with each part of a running attempt. */
  readonly onPart?: (part: RecoveryPart) => void
  /** Called at the end of each attempt. */
  readonly onAttempt?: (attempt: RecoveryAttempt) => void
  readonly signal?: AbortSignal
}

/** The outcome of a run. */
export interface RecoveryResult {
  readonly ok: boolean
  /** The messages of the right answer, in order; empty if none was right. */
  readonly messages: readonly JsonObject[]
  /** The text of the last answer. */
  readonly text: string
  readonly attempts: readonly RecoveryAttempt[]
}

/**
 * Asks a model until its answer is right, each time with what was wrong. Only the messages of a right answer
 * are returned and applied to the processor's store.
 * @throws the reason of an abort, or the error of `generate`
 */
export async function runWithRecovery(options: RunWithRecoveryOptions): Promise<RecoveryResult> {
  const { processor, generate, maxAttempts = 3, maxErrorChars = 2000, onAttempt, signal } = options
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 10) {
    throw new TypeError('maxAttempts must be an integer from 1 to 10')
  }
  formatErrorTurn([], { maxChars: maxErrorChars })
  const attempts: RecoveryAttempt[] = []
  let last: RecoveryAttempt | null = null
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    signal?.throwIfAborted()
    const errorTurn =
      last === null
        ? ''
        : formatErrorTurn(last.errors, { maxChars: maxErrorChars, tag: processor.tag })
    const previous = last?.text ?? ''
    const prompt = processor.promptSnippet
    const answer = new Answer(options)
    const given = await untilAborted(
      Promise.resolve(generate({ attempt, prompt, errorTurn, previous, signal })),
      signal,
    )
    await answer.read(given)
    last = answer.finish()
    attempts.push(last)
    onAttempt?.(last)
    const { text } = last
    if (last.ok) {
      for (const message of answer.messages) processor.store?.apply(message)
      return { ok: true, messages: answer.messages, text, attempts }
    }
    answer.reset()
  }
  return { ok: false, messages: [], text: last?.text ?? '', attempts }
}

/** One answer that is being read. */
class Answer {
  readonly messages: JsonObject[] = []
  readonly #options: RunWithRecoveryOptions
  readonly #parser
  readonly #errors: AttemptError[] = []
  readonly #repairs = new Set<string>()
  readonly #surfaceIds = new Set<string>()
  readonly #pieces: string[] = []
  #length = 0

  constructor(options: RunWithRecoveryOptions) {
    this.#options = options
    this.#parser = options.processor.createParser({ complete: true })
  }

  async read(given: string | AsyncIterable<string>): Promise<void> {
    if (typeof given === 'string') {
      this.#take(given)
      return
    }
    const { signal } = this.#options
    const iterator = given[Symbol.asyncIterator]()
    let isDone = false
    try {
      for (;;) {
        const next = await untilAborted(iterator.next(), signal)
        if (next.done === true) {
          isDone = true
          return
        }
        if (!this.#take(next.value)) return
      }
    } finally {
      // The source is told to stop; it may hang, so nobody waits for it.
      if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined)
    }
  }

  /** Takes a piece; false if the answer is too long. */
  #take(piece: string): boolean {
    const { maxOutputChars = 1_000_000 } = this.#options
    this.#length += piece.length
    if (this.#length > maxOutputChars) {
      const message = `An answer may have ${maxOutputChars} characters.`
      this.#add([{ kind: 'error', code: 'limit_exceeded', message, raw: '' }])
      return false
    }
    this.#pieces.push(piece)
    this.#add(this.#parser.parseChunk(piece))
    return true
  }

  #add(parts: readonly ExtractedPart[]): void {
    for (const part of parts) {
      if (part.kind === 'error') this.#errors.push(part)
      else if (part.kind === 'message' && isPlainObject(part.message)) {
        this.messages.push(part.message as JsonObject)
        for (const repair of part.repairs) this.#repairs.add(repair)
        for (const payload of Object.values(part.message)) {
          const id = isPlainObject(payload) ? payload.surfaceId : undefined
          if (typeof id === 'string') this.#surfaceIds.add(id)
        }
      }
      this.#options.onPart?.(part)
    }
  }

  finish(): RecoveryAttempt {
    const { processor, requireMessage = false } = this.#options
    const isTooLong = this.#errors.some(({ code }) => code === 'limit_exceeded')
    if (!isTooLong) this.#add(this.#parser.end())
    if (requireMessage && this.messages.length === 0 && this.#errors.length === 0) {
      const message = 'The answer holds no message.'
      this.#errors.push({ kind: 'error', code: 'no_message', message, raw: '' })
    }
    if (this.#errors.length === 0 && processor.store !== null) {
      const trial = copyStore(processor.store)
      for (const message of this.messages) {
        const { diagnostics } = trial.apply(message)
        append(
          this.#errors,
          diagnostics.filter(({ severity }) => severity === 'error'),
        )
      }
    }
    const ok = this.#errors.length === 0
    const text = this.#pieces.join('')
    return { ok, errors: this.#errors, text, repairs: [...this.#repairs] }
  }

  /** Says that what was shown of the answer is void. */
  reset(): void {
    this.#options.onPart?.({ kind: 'reset', surfaceIds: [...this.#surfaceIds] })
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(reasonOf(signal))
    }
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error
    ? reason
    : new SurfaceError({ code: 'call_cancelled', detail: 'The run was cancelled.' })
}
