import type { Runtime } from '@x/wire'
import { FlowError } from '../../errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'

/** The remaining time of a vertex; paused while the vertex waits in a queue. */
class VertexClock {
  readonly #runtime: Runtime
  readonly #overdue: () => void
  #left: number
  #waits = 0
  #ended = false
  #goingOn: { readonly since: number; readonly stop: AbortController } | undefined

  constructor(runtime: Runtime, ms: number, overdue: () => void) {
    this.#runtime = runtime
    this.#left = ms
    this.#overdue = overdue
    this.#start()
  }

  /** Pauses the clock until the returned function is called. */
  pause(): () => void {
    this.#waits += 1
    this.#stop()
    let waits = true
    return () => {
      if (!waits) return
      waits = false
      this.#waits -= 1
      if (this.#waits === 0) this.#start()
    }
  }

  /** The vertex has ended; the clock cannot be resumed. */
  end(): void {
    this.#ended = true
    this.#stop()
  }

  #stop(): void {
    if (this.#goingOn === undefined) return
    this.#left -= this.#now() - this.#goingOn.since
    this.#goingOn.stop.abort(STOPPED)
    this.#goingOn = undefined
  }

  #start(): void {
    if (this.#ended) return
    const stop = new AbortController()
    this.#goingOn = { since: this.#now(), stop }
    this.#runtime.sleep(Math.max(0, this.#left), stop.signal).then(this.#overdue, () => undefined)
  }

  #now(): number {
    return this.#runtime.now().getTime()
  }
}

const STOPPED = new Error('The clock of the vertex stands still')
const clocks = new WeakMap<AbortSignal, VertexClock>()

/**
 * Pauses the time limit of the vertex with this signal, if it has one, while work waits in a queue. Call the
 * returned function to resume it.
 */
export function pauseTimeLimit(signal: AbortSignal): () => void {
  return clocks.get(signal)?.pause() ?? (() => undefined)
}

/** An own signal if vertices have a time limit. */
export function vertexSignal(
  run: RunContext,
  { displayName }: PlanVertex,
  outer: AbortSignal = run.signal,
): { readonly signal?: AbortSignal; readonly stop?: () => void } {
  const ms = run.limits.vertexTimeoutMs
  if (ms === null) return {}
  const controller = new AbortController()
  const clock = new VertexClock(run.runtime, ms, () =>
    controller.abort(new FlowError('timeout', `Component ${displayName} timed out after ${ms} ms`)),
  )
  const signal = AbortSignal.any([controller.signal, outer])
  clocks.set(signal, clock)
  return { signal, stop: () => clock.end() }
}

/** Settles like `work`, or rejects as soon as `signal` is aborted. */
export function timed<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
