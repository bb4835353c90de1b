import type { FlowError } from '../../errors.ts'
import type { RunOutcome } from './run-outcome.ts'
import type { PlanGraph } from '../plan/plan-graph.ts'
import type { FlowProblem } from '../flow/problems.ts'
import { outputReader } from './result-output.ts'
import { resultText } from './result-text.ts'
import type { RunResult, VertexResult } from '../context/run-options.ts'
import { selectsOutput, type CheckedRun } from '../context/checked-run.ts'
import type { VertexNotes } from '../events/vertex-notes.ts'
import { createPooledArray } from '../values/create-pooled-array.ts'

/** Details of a run needed for its HTTP response but not part of the public result. */
export interface ResultNotes {
  readonly inputValue: string | undefined
  readonly graph: PlanGraph
  readonly vertices: ReadonlyMap<string, VertexNotes> | undefined
  readonly secrets: CheckedRun['knownSecrets']
}

/** Most runs call no model. */
const NO_USAGE: RunResult['vertexUsage'] = new Map()

const NOTHING = { modelCalls: 0, inputTokens: 0, outputTokens: 0, tokens: 0 }

/** The result of a run; retains nothing else of the run. A class, not a literal (decision 009). */
export class FinishedRun implements RunResult {
  readonly status: RunResult['status']
  readonly sessionId: string
  readonly flowId: string
  readonly outputs: VertexResult[]
  readonly vertices: RunResult['vertices']
  declare readonly error?: FlowError
  readonly stalled: string[]
  readonly warnings: FlowProblem[]
  readonly messages: RunResult['messages']
  readonly usage: RunResult['usage']
  readonly vertexUsage: RunResult['vertexUsage']
  readonly durationMs: number
  readonly spent: RunResult['spent']
  readonly text: RunResult['text']
  readonly output: RunResult['output']
  readonly #inputValue: string | undefined
  readonly #graph: PlanGraph
  readonly #notes: ResultNotes['vertices']
  readonly #secrets: ResultNotes['secrets']

  constructor(outcome: RunOutcome, run: CheckedRun, durationMs: number) {
    const { vertices, error } = outcome
    const outputs = selectedResults(outcome, run)
    this.status = outcome.failed ? 'failed' : outcome.cancelled ? 'cancelled' : 'succeeded'
    this.sessionId = run.sessionId
    this.flowId = run.flowId
    this.outputs = outputs
    this.vertices = vertices
    if (error !== undefined) this.error = error
    this.stalled = outcome.stalled
    this.warnings = outcome.warnings
    this.messages = run.hasMessages ? [...run.messages.records.values()] : createPooledArray()
    this.usage = outcome.usage
    this.vertexUsage = outcome.vertexUsage ?? NO_USAGE
    this.durationMs = durationMs
    const seconds = durationMs / 1000
    this.spent = run.knownSpending?.spent(seconds) ?? { ...NOTHING, seconds }
    this.text = (component) => resultText({ outputs, vertices }, component)
    this.output = outputReader(vertices)
    this.#inputValue = run.input.value ?? undefined
    this.#graph = run.graph
    this.#notes = outcome.notes
    this.#secrets = run.knownSecrets
  }

  /** Undefined for copies of a result. */
  static notesOf(result: RunResult): ResultNotes | undefined {
    if (!(#graph in result)) return undefined
    return {
      inputValue: result.#inputValue,
      graph: result.#graph,
      vertices: result.#notes,
      secrets: result.#secrets,
    }
  }
}

function selectedResults({ vertices }: RunOutcome, run: CheckedRun): VertexResult[] {
  const selects = selectsOutput(run)
  const selected = createPooledArray<VertexResult>()
  for (const vertex of run.graph.vertices) {
    const result = selects(vertex) ? vertices.get(vertex.id) : undefined
    if (result?.valid === true) selected.push(result)
  }
  return selected
}
