import { append } from '@x/wire'
import type { TokenUsage } from '../../models/chat-model.ts'
import type { FlowError } from '../../errors.ts'
import type { VertexNotes } from '../events/vertex-notes.ts'
import type { FlowProblem } from '../flow/problems.ts'
import type { RunResult, VertexResult } from '../context/run-options.ts'
import type { CheckedRun } from '../context/checked-run.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import { problemsOfCycles } from '../schedule/stalled.ts'
import { createPooledArray } from '../values/create-pooled-array.ts'

/** The outcome of a run so far. A class, not a literal (decision 009). */
export class RunOutcome {
  readonly vertices = new Map<string, VertexResult>()
  /** Notes of the last build of each vertex whose component wrote any. */
  notes: Map<string, VertexNotes> | undefined = undefined
  readonly warnings: FlowProblem[] = createPooledArray()
  readonly usage: RunResult['usage'] = new Usage()
  vertexUsage: Map<string, RunResult['usage']> | undefined = undefined
  /** The first failure, or the reason the run was stopped. */
  error: FlowError | undefined = undefined
  failed = false
  cancelled = false
  stalled: string[] = createPooledArray()

  constructor({ plan, slice, tweaks }: CheckedRun) {
    for (const warning of plan.warnings) this.warnings.push(warning)
    for (const warning of slice.warnings) this.warnings.push(warning)
    for (const warning of tweaks.warnings) this.warnings.push(warning)
  }

  /** Adds the token usage of one model response, requested by a vertex. */
  use(vertexId: string, used: TokenUsage): void {
    const { inputTokens, outputTokens } = used
    if (inputTokens === 0 && outputTokens === 0) return
    const known = (this.vertexUsage ??= new Map())
    const own = known.get(vertexId) ?? new Usage()
    known.set(vertexId, own)
    for (const sum of [own, this.usage]) {
      sum.inputTokens += inputTokens
      sum.outputTokens += outputTokens
    }
  }

  /** Notes the vertices that were still waiting for a cycle when the run ended. */
  addStalled(vertices: readonly PlanVertex[]): void {
    this.stalled = vertices.map((vertex) => vertex.id)
    append(this.warnings, problemsOfCycles(vertices))
  }

  /** Records the last build of a vertex, in order of first build. */
  record(result: VertexResult, notes: VertexNotes | undefined): void {
    this.vertices.set(result.id, result)
    if (notes !== undefined) (this.notes ??= new Map()).set(result.id, notes)
    else this.notes?.delete(result.id)
  }
}

class Usage {
  inputTokens = 0
  outputTokens = 0
}
