import type { HookContent, RunInfo, VertexEnd, VertexInfo } from '../context/run-hooks.ts'
import { BuildEnd, OpenBuild, type RunReporter } from '../context/run-reporter.ts'
import { iterationOf } from '../schedule/iteration-of.ts'
import type { Task } from '../schedule/task.ts'
import { vertexFailure } from './failure.ts'
import type { TaskBuild, TaskResult } from './task-build.ts'
import { NO_VALUES } from './vertex-build.ts'

/** An attempt at building a vertex, as reported to hooks. */
export class OpenTask extends OpenBuild {
  readonly vertex: VertexInfo
  readonly #work: TaskBuild
  readonly #reporter: RunReporter

  constructor(work: TaskBuild, reporter: RunReporter) {
    super()
    const { vertex, build, attempt, environment } = work
    const pass = iterationOf(vertex, environment.run.graph, environment.run.builds)
    this.vertex = new VertexMetadata(reporter.info, vertex, { build, attempt, pass })
    this.#work = work
    this.#reporter = reporter
  }

  endOf(result: TaskResult | undefined, thrown?: unknown): BuildEnd {
    const { environment, vertex } = this.#work
    const { secrets } = environment.run
    const isFrozen = result?.usedFrozenResult === true
    const status = statusOf(this.#work, result)
    const error =
      status === 'failed' ? vertexFailure(thrown, vertex, secrets.mask).error : undefined
    if (error === undefined && !this.#reporter.wantsContent) return new BuildEnd(status, isFrozen)
    return new BuildEnd(status, isFrozen, { error, content: this.#contentOf(status, result) })
  }

  /** Undefined for a vertex that received no inputs. */
  #contentOf(status: VertexEnd['status'], result: TaskResult | undefined): HookContent | undefined {
    const { raw } = this.#work
    if (!this.#reporter.wantsContent || raw === NO_VALUES) return undefined
    const output = status === 'ok' && result !== undefined ? [result.outputs] : []
    return this.#reporter.contentOf(withoutCode(raw), output)
  }
}

function statusOf(
  { task, environment }: TaskBuild,
  result: TaskResult | undefined,
): VertexEnd['status'] {
  if (environment.isResting(task)) return 'suspended'
  if (!environment.run.open() || task.scope.cancelled) return 'cancelled'
  return result === undefined ? 'failed' : 'ok'
}

/** A class, not a copy, because it is created for every attempt of every vertex. */
class VertexMetadata implements VertexInfo {
  readonly runId: string
  readonly flowId: string
  readonly sessionId: string
  declare readonly jobId?: string
  declare readonly flowName?: string
  declare readonly userId?: string
  declare readonly parentRunId?: string
  declare readonly parentVertexId?: string
  declare readonly requestId?: string
  declare readonly carrier?: Readonly<Record<string, string>>
  declare readonly continued?: true
  readonly vertexId: string
  readonly type: string
  readonly displayName: string
  readonly build: number
  readonly attempt: number
  declare readonly pass?: number

  constructor(
    run: RunInfo,
    { id, type, displayName }: Pick<Task['vertex'], 'id' | 'type' | 'displayName'>,
    { build, attempt, pass }: { build: number; attempt: number; pass: number | undefined },
  ) {
    this.runId = run.runId
    this.flowId = run.flowId
    this.sessionId = run.sessionId
    if (run.jobId !== undefined) this.jobId = run.jobId
    if (run.flowName !== undefined) this.flowName = run.flowName
    if (run.userId !== undefined) this.userId = run.userId
    if (run.parentRunId !== undefined) this.parentRunId = run.parentRunId
    if (run.parentVertexId !== undefined) this.parentVertexId = run.parentVertexId
    if (run.requestId !== undefined) this.requestId = run.requestId
    if (run.carrier !== undefined) this.carrier = run.carrier
    if (run.continued !== undefined) this.continued = run.continued
    this.vertexId = id
    this.type = type
    this.displayName = displayName
    this.build = build
    this.attempt = attempt
    if (pass !== undefined) this.pass = pass
  }
}

/** The source code of a component is omitted from its inputs. */
export function withoutCode({ code: _, ...fields }: Readonly<Record<string, unknown>>): object {
  return fields
}
