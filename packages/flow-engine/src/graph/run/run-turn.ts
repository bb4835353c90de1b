import type { Runtime } from '@x/wire'
import { youngList } from '../values/young-list.ts'

const SOON = Promise.resolve()

/**
 * One synchronous turn of a run: its clock is read once, and builds that end immediately are reported after
 * all vertices that became ready with them have started (FE-14).
 */
export class RunTurn {
  readonly #runtime: Runtime
  #reports: (() => void)[] = youngList()
  #time: number | undefined

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Milliseconds since 1970. */
  get time(): number {
    return (this.#time ??= this.#runtime.now().getTime())
  }

  /** Called after an await; the clock is read again. */
  end(): void {
    this.#time = undefined
  }

  reportLater(report: () => void): void {
    this.#reports.push(report)
    if (this.#reports.length === 1) SOON.then(() => this.#reportAll()).catch(() => undefined)
  }

  #reportAll(): void {
    this.#time = undefined
    const reports = this.#reports
    this.#reports = youngList()
    for (const report of reports) report()
    this.#time = undefined
  }
}
