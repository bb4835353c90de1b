import type { RunContext } from '../context/run-context.ts'
import type { RunRequest } from '../context/run-request.ts'
import type { RunHost } from '../context/run-host.ts'
import type { Task } from '../schedule/task.ts'

/** What the builds of a run share. A class, not a literal: see `youngList`. */
export class TaskEnvironment {
  readonly run: RunContext
  readonly request: RunRequest
  /** Results are identified, because a frozen vertex may keep some. */
  readonly keyed: boolean
  /** Passes of a loop at once; 1 where the run is kept for another process (FE-32, FE-63). */
  readonly parallel: number
  readonly inputs: RunHost['inputs']
  /** Whether vertices may come to rest: their builds have a signal of their own (DR-5). */
  readonly mayRest: boolean
  #resting: Set<Task> | undefined
  #attempts: Map<Task, number> | undefined
  readonly #rested: (task: Task) => void

  constructor(
    run: RunContext,
    request: RunRequest,
    { host, rested }: { readonly host: RunHost; readonly rested: (task: Task) => void },
  ) {
    const { graph, options } = request
    const isDurable = host.resume !== undefined || host.checkpoint !== undefined
    this.run = run
    this.request = request
    const isEdited = request.mode === 'build'
    this.keyed =
      options.cache !== undefined && (isEdited || graph.vertices.some(({ frozen }) => frozen))
    this.parallel = isDurable ? 1 : request.parallel
    this.inputs = host.inputs
    this.mayRest = host.suspend !== undefined
    this.#rested = rested
  }

  countAttempt(task: Task, attempt: number): void {
    ;(this.#attempts ??= new Map()).set(task, attempt)
  }

  /** Attempts of the build of a task; 1 where nothing was repeated. */
  attemptsOf(task: Task): number {
    return this.#attempts?.get(task) ?? 1
  }

  /** Whether a build waits for an answer or a time: what comes of it is dropped. */
  isResting(task: Task): boolean {
    return this.#resting?.has(task) === true
  }

  /** A build comes to rest; once. */
  rest(task: Task): void {
    if (this.isResting(task)) return
    ;(this.#resting ??= new Set()).add(task)
    this.#rested(task)
  }
}
