import type { FlowError } from '../../errors.ts'
import { NO_DECISION, type Decision } from '../schedule/decision.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { VertexResult } from '../context/run-options.ts'
import type { Built, OutputValues } from '../schedule/scope.ts'

interface Build extends Pick<
  VertexResult,
  'error' | 'usedFrozenResult' | 'builds' | 'attempts' | 'durationMs'
> {
  readonly outputs: OutputValues
  /** Default: no decision. */
  readonly decision?: Decision
}

/**
 * The result of a vertex's last build, for its readers and the run. A class, not a literal (decision 009).
 */
export class VertexRecord implements VertexResult, Built {
  readonly id: string
  readonly type: string
  readonly displayName: string
  readonly valid: boolean
  outputs: OutputValues
  declare readonly error?: FlowError
  readonly usedFrozenResult: boolean
  readonly builds: number
  readonly attempts: number
  readonly durationMs: number
  readonly #decision: Decision

  constructor({ id, type, displayName }: PlanVertex, build: Build) {
    const { error, decision = NO_DECISION } = build
    this.id = id
    this.type = type
    this.displayName = displayName
    this.valid = error === undefined
    this.outputs = build.outputs
    if (error !== undefined) this.error = error
    this.usedFrozenResult = build.usedFrozenResult
    this.builds = build.builds
    this.attempts = build.attempts
    this.durationMs = build.durationMs
    this.#decision = decision
  }

  get dead(): ReadonlySet<string> {
    return this.#decision.dead
  }

  get stopped(): ReadonlySet<string> {
    return this.#decision.stopped
  }
}

/** The record of a failed build. */
export function failedRecord(
  vertex: PlanVertex,
  build: Pick<VertexResult, 'builds' | 'attempts' | 'durationMs'> & { readonly error: FlowError },
): VertexRecord {
  const outputs = Object.create(null) as OutputValues
  return new VertexRecord(vertex, { ...build, outputs, usedFrozenResult: false })
}
