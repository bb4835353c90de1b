import { errorText, FlowError, isFlowError } from '../../errors.ts'
import type { CallFacts, CallReporter, OpenCall } from '../../components/define/call-reporter.ts'
import { maskedCause } from '../events/masked-cause.ts'
import type { Secrets } from '../events/secrets.ts'
import { formatValue } from '../values/format-value.ts'
import type {
  Around,
  CallEnd,
  HookContent,
  RunEnd,
  RunHooks,
  RunInfo,
  VertexEnd,
  VertexInfo,
} from './run-hooks.ts'

export interface RunReporterOptions {
  readonly hooks: RunHooks
  readonly info: RunInfo
  /** In milliseconds. */
  readonly now: () => number
  readonly secrets: Pick<Secrets, 'mask' | 'maskJson'>
  /** Called with errors thrown by hooks. */
  readonly report: (error: unknown) => void
}

type Reported<End> = Omit<End, 'durationMs'>

/**
 * A running attempt at building a vertex. The open builds of a run form a linked list: a Set plus the promise
 * closures of each build would cost more than the hooks themselves.
 */
export abstract class OpenBuild {
  abstract readonly vertex: VertexInfo
  startedAt = 0
  isOpen = false
  before: OpenBuild | undefined = undefined
  next: OpenBuild | undefined = undefined

  /** The end report, created from the result or the error; the reporter adds the duration. */
  abstract endOf(result: unknown, thrown?: unknown): BuildEnd
}

/** Made for every attempt (decision 009). */
export class BuildEnd implements VertexEnd {
  readonly status: VertexEnd['status']
  durationMs = 0
  readonly usedFrozenResult: boolean
  declare readonly error?: FlowError
  declare readonly content?: HookContent

  constructor(
    status: VertexEnd['status'],
    usedFrozenResult = false,
    { error, content }: EndFacts = NOTHING,
  ) {
    this.status = status
    this.usedFrozenResult = usedFrozenResult
    if (error !== undefined) this.error = error
    if (content !== undefined) this.content = content
  }
}

interface EndFacts {
  readonly error?: FlowError | undefined
  readonly content?: HookContent | undefined
}

const NOTHING: EndFacts = {}

/** Calls the hooks of one run; every start is followed by one end. */
export class RunReporter {
  readonly info: RunInfo
  readonly #options: RunReporterOptions
  /** Open builds, in order of their start. */
  #first: OpenBuild | undefined
  #last: OpenBuild | undefined
  #startedAt: number | undefined

  constructor(options: RunReporterOptions) {
    this.info = options.info
    this.#options = options
  }

  start(): void {
    const { hooks, now } = this.#options
    this.#startedAt = now()
    this.#safely(() => hooks.onRunStart?.(this.info))
  }

  /** Ends builds that are still open first; when a run is suspended, those are the ones that ask or sleep. */
  end(end: Reported<RunEnd>): void {
    if (this.#startedAt === undefined) return
    const status = end.status === 'suspended' ? 'suspended' : 'cancelled'
    for (let open = this.#first; open !== undefined; open = this.#first)
      this.#vertexEnded(open, new BuildEnd(status))
    const { hooks, now } = this.#options
    const durationMs = Math.max(0, now() - this.#startedAt)
    this.#safely(() => hooks.onRunEnd?.(this.info, { durationMs, ...end }))
  }

  /**
   * Reports the start of an attempt.
   * @param at start time in milliseconds; default: now
   * @returns the argument for `within`
   */
  begin(open: OpenBuild, at = this.#options.now()): void | Around {
    const { hooks } = this.#options
    open.startedAt = at
    open.isOpen = true
    open.before = this.#last
    if (this.#last === undefined) this.#first = open
    else this.#last.next = open
    this.#last = open
    try {
      const around = hooks.onVertexStart?.(open.vertex)
      if (around !== undefined) this.#settle(around)
      return around
    } catch (error) {
      this.#options.report(error)
      return undefined
    }
  }

  /**
   * Reports success, unless the run has ended the build already.
   * @param at end time in milliseconds; default: now
   */
  ended(open: OpenBuild, result: unknown, at?: number): void {
    if (open.isOpen) this.#vertexEnded(open, open.endOf(result), at)
  }

  /** Reports failure, unless the run has ended the build already. */
  failed(open: OpenBuild, thrown: unknown): void {
    if (open.isOpen) this.#vertexEnded(open, open.endOf(undefined, thrown))
  }

  /** Creates the call reporter of a build. */
  calls(vertex: VertexInfo): CallReporter {
    return { open: (facts) => this.#openCall(vertex, facts) }
  }

  /** True if the hooks want inputs and outputs. */
  get wantsContent(): boolean {
    return this.#options.hooks.content === true
  }

  /** @param output a one-element array, or empty if there is no output */
  contentOf(input: unknown, output: readonly unknown[]): HookContent {
    const { maskJson } = this.#options.secrets
    const given = maskJson(formatValue(input))
    return output.length === 0
      ? { input: given }
      : { input: given, output: maskJson(formatValue(output[0])) }
  }

  #openCall(vertex: VertexInfo, { input, ...facts }: CallFacts): OpenCall {
    const { hooks, now } = this.#options
    const call = Object.assign({}, vertex, facts)
    const wanted = this.wantsContent ? input : undefined
    const startedAt = now()
    const around = this.#safely(() => hooks.onCallStart?.(call))
    let over = false
    return {
      around: (work) => this.within(around, work),
      wantsContent: wanted !== undefined,
      ended: ({ error, usage, output = [] } = {}) => {
        if (over) return
        over = true
        const end: CallEnd = {
          status: error === undefined ? 'ok' : 'failed',
          ...(error === undefined ? {} : { error: this.#masked(error) }),
          ...(usage === undefined ? {} : { usage }),
          durationMs: Math.max(0, now() - startedAt),
          ...(wanted === undefined ? {} : { content: this.contentOf(wanted(), output) }),
        }
        this.#safely(() => hooks.onCallEnd?.(call, end))
      },
    }
  }

  #masked(thrown: unknown): FlowError {
    const { mask } = this.#options.secrets
    const code = isFlowError(thrown) ? thrown.code : 'component_failed'
    return new FlowError(code, mask(errorText(thrown)), { cause: maskedCause(thrown, mask) })
  }

  #vertexEnded(open: OpenBuild, end: BuildEnd, at?: number): void {
    const { hooks, now } = this.#options
    this.#remove(open)
    if (hooks.onVertexEnd === undefined) return
    end.durationMs = Math.max(0, (at ?? now()) - open.startedAt)
    try {
      this.#settle(hooks.onVertexEnd(open.vertex, end))
    } catch (error) {
      this.#options.report(error)
    }
  }

  #remove(open: OpenBuild): void {
    const { before, next } = open
    open.isOpen = false
    if (before === undefined) this.#first = next
    else before.next = next
    if (next === undefined) this.#last = before
    else next.before = before
    open.before = undefined
    open.next = undefined
  }

  /** The result or error of the work is returned unchanged, whatever the host's wrapper does. */
  within<T>(around: void | Around, work: () => T): T {
    if (typeof around !== 'function') return work()
    const done = new Done(work)
    try {
      const given: unknown = around(done.call)
      // The host handles rejections of promises it derives from this one.
      if (given instanceof Promise) given.catch(() => undefined)
    } catch (error) {
      if (!done.failed) this.#options.report(error)
    }
    return done.result()
  }

  #settle(given: unknown): void {
    if (given instanceof Promise) given.catch((error: unknown) => this.#options.report(error))
  }

  /** Also catches rejections: a hook may return a promise although its type says it returns nothing. */
  #safely<T>(call: () => T): T | undefined {
    try {
      const given = call()
      this.#settle(given)
      return given
    } catch (error) {
      this.#options.report(error)
      return undefined
    }
  }
}

/** Memoises a computation. */
class Done<T> {
  readonly #work: () => T
  #outcome: { readonly value: T } | { readonly thrown: unknown } | undefined

  constructor(work: () => T) {
    this.#work = work
  }

  get failed(): boolean {
    return this.#outcome !== undefined && 'thrown' in this.#outcome
  }

  readonly call = (): T => {
    if (this.#outcome === undefined) {
      try {
        this.#outcome = { value: this.#work() }
      } catch (thrown) {
        this.#outcome = { thrown }
      }
    }
    return this.result()
  }

  result(): T {
    const outcome = this.#outcome
    if (outcome === undefined) return this.call()
    if ('thrown' in outcome) throw outcome.thrown
    return outcome.value
  }
}
