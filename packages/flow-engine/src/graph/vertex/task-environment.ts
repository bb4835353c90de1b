import type { CheckedRun } from '../context/checked-run.ts'
import { isPlain, type RunHost } from '../context/run-host.ts'
import type { Task } from '../schedule/task.ts'

/** State shared by the builds of a run. A class, not a literal (decision 009). */
export class TaskEnvironment {
  readonly run: CheckedRun
  readonly host: RunHost
  /** Results need a key, because a frozen vertex may store some. */
  readonly keyed: boolean
  /** Concurrent passes of a loop; 1 if the run is stored for other processes. */
  readonly parallel: number
  /** The host neither repeats nor stores builds. */
  readonly isPlain: boolean
  /** The time of the scheduler's current turn. */
  readonly clock: { readonly time: number }
  /** Vertices may suspend, so each build has its own signal. */
  readonly mayRest: boolean
  #resting: Set<Task> | undefined
  #attempts: Map<Task, number> | undefined
  readonly #rested: (task: Task) => void

  constructor(
    run: CheckedRun,
    {
      rested,
      clock,
    }: {
      readonly rested: (task: Task) => void
      readonly clock: { readonly time: number }
    },
  ) {
    const { graph, options, host } = run
    this.host = host
    this.isPlain = isPlain(host)
    this.clock = clock
    this.run = run
    const isEdited = run.mode === 'build'
    this.keyed =
      options.cache !== undefined && (isEdited || graph.vertices.some(({ frozen }) => frozen))
    this.parallel = this.isPlain ? run.parallel : 1
    this.mayRest = host.suspend !== undefined
    this.#rested = rested
  }

  countAttempt(task: Task, attempt: number): void {
    ;(this.#attempts ??= new Map()).set(task, attempt)
  }

  /** Number of attempts of a task's build; 1 without retries. */
  attemptsOf(task: Task): number {
    return this.#attempts?.get(task) ?? 1
  }

  /** True if a build is suspended; its result is dropped. */
  isResting(task: Task): boolean {
    return this.#resting?.has(task) === true
  }

  /** Suspends a build; idempotent. */
  rest(task: Task): void {
    if (this.isResting(task)) return
    ;(this.#resting ??= new Set()).add(task)
    this.#rested(task)
  }
}
