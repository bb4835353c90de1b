import type { Runtime } from '@x/wire'
import { youngList } from '../values/young-list.ts'

const SOON = Promise.resolve()

/** Reports the end of a build. */
type Report = () => void | Promise<void>

/**
 * One synchronous turn of a run: its clock is read once, and builds that end immediately are reported after
 * all vertices that became ready with them have started (FE-14).
 */
export class RunTurn {
  readonly #runtime: Runtime
  /** Ends the run: a report has thrown, which is a fault of the engine or of the runtime. */
  readonly broken: (error: unknown) => void
  #reports: Report[] = youngList()
  #time: number | undefined

  constructor(runtime: Runtime, broken: (error: unknown) => void) {
    this.#runtime = runtime
    this.broken = broken
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
    this.#time = undefined
    const reports = this.#reports
    this.#reports = youngList()
    for (const report of reports) this.report(report)
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
