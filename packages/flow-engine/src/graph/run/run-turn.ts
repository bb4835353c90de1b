import { eventLoopTurn, type Runtime } from '@x/wire'
import { createPooledArray } from '../values/create-pooled-array.ts'

/** Edges searched in one turn of the event loop: well under 20 ms. */
const MAX_SEARCHED = 200_000

const SOON = Promise.resolve()

/** Reports the end of a build. */
type Report = () => void | Promise<void>

/**
 * One synchronous turn of a run: its clock is read once, and builds that end immediately are reported after
 * all vertices that became ready with them have started.
 */
export class RunTurn {
  readonly #runtime: Runtime
  /** Ends the run: a report has thrown, which is a fault of the engine or of the runtime. */
  readonly broken: (error: unknown) => void
  #reports: Report[] = createPooledArray()
  #time: number | undefined
  readonly #work: { searched: number }

  /** @param work edges searched for the decisions of routers, which this object sets back */
  constructor(
    runtime: Runtime,
    broken: (error: unknown) => void,
    work: { searched: number } = { searched: 0 },
  ) {
    this.#runtime = runtime
    this.broken = broken
    this.#work = work
  }

  /** Milliseconds since 1970. */
  get time(): number {
    return (this.#time ??= this.#runtime.now().getTime())
  }

  /** Called after an await; the clock is read again. */
  end(): void {
    this.#time = undefined
  }

  reportLater(report: Report): void {
    this.#reports.push(report)
    if (this.#reports.length === 1) SOON.then(() => this.#reportAll()).catch(this.broken)
  }

  #reportAll(): void {
    const reports = this.#reports
    this.#reports = createPooledArray()
    this.#reportThese(reports)
  }

  /** Long searches let other runs go on in between. */
  #reportThese(reports: readonly Report[]): void {
    this.#time = undefined
    for (const [at, report] of reports.entries()) {
      if (this.#work.searched > MAX_SEARCHED) {
        this.#work.searched = 0
        const rest = reports.slice(at)
        eventLoopTurn()
          .then(() => this.#reportThese(rest))
          .catch(this.broken)
        break
      }
      this.report(report)
    }
    this.#time = undefined
  }

  /** Runs a report; without this, one that throws would leave its run waiting for ever. */
  report(report: Report): void {
    try {
      report()?.catch(this.broken)
    } catch (error) {
      this.broken(error)
    }
  }
}
