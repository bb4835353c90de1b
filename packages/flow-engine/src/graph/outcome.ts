import type { FlowError } from '../errors.ts'
import type { FlowProblem } from './problems.ts'
import type { RunResult, VertexResult } from './run-options.ts'
import { selectsOutput, type RunRequest } from './run-request.ts'
import { keepNotes, textOf, type VertexNotes } from './run-result.ts'
import type { RunContext } from './run-context.ts'

/** What a run has come to so far. */
export interface Outcome {
  readonly vertices: Map<string, VertexResult>
  /** Of the last builds of vertices whose component noted something. */
  notes: Map<string, VertexNotes> | undefined
  readonly warnings: FlowProblem[]
  readonly usage: { inputTokens: number; outputTokens: number }
  /** The first failure, or why the run was stopped. */
  error: FlowError | undefined
  failed: boolean
  cancelled: boolean
  stalled: string[]
}

export function createOutcome({ plan, slice, tweaks }: RunRequest): Outcome {
  return {
    vertices: new Map(),
    notes: undefined,
    warnings: [...plan.warnings, ...slice.warnings, ...tweaks.warnings],
    usage: { inputTokens: 0, outputTokens: 0 },
    error: undefined,
    failed: false,
    cancelled: false,
    stalled: [],
  }
}

/** Keeps the last build of a vertex, in order of first build. */
export function recordBuild(
  outcome: Outcome,
  result: VertexResult,
  notes: VertexNotes | undefined,
): void {
  outcome.vertices.set(result.id, result)
  if (notes !== undefined) (outcome.notes ??= new Map()).set(result.id, notes)
  else outcome.notes?.delete(result.id)
}

/** What the component noted; undefined = nothing. */
export function notesOf({ logs, hasStatus }: VertexNotes): VertexNotes | undefined {
  return hasStatus === false && logs.size === 0 ? undefined : { logs, hasStatus }
}

export function runResult(
  outcome: Outcome,
  request: RunRequest,
  run: RunContext,
  durationMs: number,
): RunResult {
  const outputs = selectedResults(outcome, request)
  const { vertices, warnings, stalled, usage, error } = outcome
  const result: RunResult = {
    status: outcome.failed ? 'failed' : outcome.cancelled ? 'cancelled' : 'succeeded',
    sessionId: request.sessionId,
    flowId: request.flowId,
    outputs,
    vertices,
    ...(error === undefined ? {} : { error }),
    stalled,
    warnings,
    messages: run.hasMessages ? [...run.messages.records.values()] : [],
    usage,
    durationMs,
    text: textReader(outputs, vertices),
  }
  keepNotes(result, {
    inputValue: request.input.value ?? undefined,
    graph: request.graph,
    vertices: outcome.notes,
    secrets: run.secrets,
  })
  return result
}

function selectedResults({ vertices }: Outcome, request: RunRequest): VertexResult[] {
  const selects = selectsOutput(request)
  const selected: VertexResult[] = []
  for (const vertex of request.graph.vertices) {
    const result = selects(vertex) ? vertices.get(vertex.id) : undefined
    if (result?.valid === true) selected.push(result)
  }
  return selected
}

/** A function that keeps nothing of the run alive but its results. */
function textReader(
  outputs: RunResult['outputs'],
  vertices: RunResult['vertices'],
): RunResult['text'] {
  return (component) => textOf({ outputs, vertices }, component)
}
