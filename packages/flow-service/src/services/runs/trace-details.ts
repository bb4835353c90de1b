import type { RunTraceRecord } from '../../store/run-traces.ts'
import type { JobUsage } from '@x/flow-engine/store'
import type { LoggedRun, TraceSpan } from './trace-spans.ts'

/** The stored details of a run's trace; kept short, because they are written for every run. */
export interface TraceDetails {
  readonly spans: readonly (readonly [
    vertexId: string,
    endedAt: number,
    durationMs: number,
    error: string | null,
  ])[]
  readonly input: string | null
  readonly output: string | null
  readonly isCut?: true
  readonly usage?: readonly (readonly [vertexId: string, input: number, output: number])[]
  readonly warnings?: readonly (readonly [code: string, message: string, vertexId: string | null])[]
}

/** Reads the stored details of a trace. */
export function readTraceDetails({ id, sessionId, details }: RunTraceRecord): {
  readonly run: LoggedRun
  readonly usage: JobUsage
} {
  const {
    spans,
    input,
    output,
    isCut,
    usage = [],
    warnings = [],
  } = JSON.parse(details) as TraceDetails
  return {
    run: {
      spans: spans.map(([vertexId, endedAt, durationMs, error], index): TraceSpan => ({
        id: `${id}-${index}`,
        vertexId,
        startedAt: new Date(endedAt - durationMs),
        endedAt: new Date(endedAt),
        valid: error === null,
        error,
        outputs: null,
      })),
      input,
      output,
      sessionId,
      warnings: warnings.map(([code, message, vertexId]) => ({ code, message, vertexId })),
      isCut: isCut === true,
    },
    usage: Object.fromEntries(
      usage.map(([vertexId, inputTokens, outputTokens]) => [
        vertexId,
        { inputTokens, outputTokens },
      ]),
    ),
  }
}
