import { z } from 'zod'
import type { JobState } from '@x/flow-engine/store'
import type { Page } from '@x/flow-engine/store'
import type { Trace, TraceQuery, TraceSummary } from '../services/runs/traces.ts'
import type { TraceSpan, TraceWarning } from '../services/runs/trace-spans.ts'
import { dateTime, int, maybe, oneOf, text, uuid } from './scalars.ts'

const MAX_PAGE = 200

/** Pages count from 1; 0 means the first page too. */
export const TraceListQuery = z.object({
  flow_id: maybe(uuid()),
  session_id: maybe(text()),
  status: maybe(oneOf(['unset', 'ok', 'error'])),
  start_time: maybe(dateTime()),
  end_time: maybe(dateTime()),
  page: int({ ge: 0 }).default(1),
  size: int({ ge: 1, le: MAX_PAGE }).default(50),
})

/** Job states for each trace status. */
const STATES = {
  unset: ['queued', 'running', 'suspended'],
  ok: ['succeeded'],
  error: ['failed', 'cancelled'],
} as const satisfies Record<string, readonly JobState[]>

type TraceStatus = keyof typeof STATES

const Status = z.enum(['unset', 'ok', 'error'])
const time = z.string().meta({ format: 'date-time' })
const Text = z.record(z.string(), z.string()).nullable()

const summary = {
  id: z.string().meta({ format: 'uuid' }),
  name: z.string(),
  status: Status,
  /** State of the job, more precise than the status. */
  state: z.enum(['queued', 'running', 'suspended', 'succeeded', 'failed', 'cancelled']),
  startTime: time,
  endTime: time.nullable(),
  totalLatencyMs: z.int(),
  totalTokens: z.int(),
  flowId: z.string().meta({ format: 'uuid' }),
  sessionId: z.string(),
  error: z.string().nullable(),
  input: Text,
  output: Text,
}

const Span = z
  .strictObject({
    id: z.string(),
    /** The node; for a node in a group, its id with that of the group. */
    component_id: z.string(),
    name: z.string(),
    type: z.enum(['chain', 'llm', 'agent']),
    status: Status,
    startTime: time,
    endTime: time.nullable(),
    latencyMs: z.int(),
    inputs: z.null(),
    outputs: z.looseObject({}).nullable(),
    error: z.string().nullable(),
    modelName: z.null(),
    tokenUsage: z
      .strictObject({ promptTokens: z.int(), completionTokens: z.int(), totalTokens: z.int() })
      .nullable(),
    children: z.array(z.never()),
  })
  .meta({ id: 'TraceSpan' })

const Warning = z
  .strictObject({ code: z.string(), message: z.string(), component_id: z.string().optional() })
  .meta({ id: 'TraceWarning' })

const Summary = z.strictObject(summary).meta({ id: 'TraceSummary' })

/** A page of traces, without data from their logs. */
export const TraceList = z
  .strictObject({ traces: z.array(Summary), total: z.int(), pages: z.int() })
  .meta({ id: 'TraceList' })

export const TraceRead = z
  .strictObject({
    ...summary,
    spans: z.array(Span),
    truncated: z.boolean(),
    /** Omitted if there are none. */
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: 'Trace' })

export function traceQueryFromWire(query: z.output<typeof TraceListQuery>): TraceQuery {
  const { status, page, size } = query
  return {
    flowId: query.flow_id ?? undefined,
    sessionId: query.session_id ?? undefined,
    from: query.start_time ?? undefined,
    to: query.end_time ?? undefined,
    states: status === null || status === undefined ? undefined : STATES[status],
    page,
    size,
  }
}

export function tracesToWire(
  { items, total }: Page<TraceSummary>,
  size: number,
): z.input<typeof TraceList> {
  const traces = items.map((item) => summaryToWire(item))
  return { traces, total, pages: Math.ceil(total / size) }
}

export function traceToWire(trace: Trace): z.input<typeof TraceRead> {
  const { run, traced } = trace
  const { input, output, warnings, isCut } = run
  return {
    ...summaryToWire(trace),
    sessionId: traced.sessionId ?? run.sessionId ?? traced.flowId,
    input: input === null ? null : { input_value: input },
    output: output === null ? null : { message: output },
    spans: spansToWire(trace),
    truncated: isCut,
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(warningToWire) }),
  }
}

function warningToWire({ code, message, vertexId }: TraceWarning): z.input<typeof Warning> {
  return { code, message, ...(vertexId === null ? {} : { component_id: vertexId }) }
}

function summaryToWire({ traced, name }: TraceSummary): z.input<typeof Summary> {
  const { id, flowId, sessionId, state, startedAt, finishedAt, error, tokens: used } = traced
  return {
    id,
    name,
    status: statusOf(state),
    state,
    startTime: startedAt.toISOString(),
    endTime: finishedAt?.toISOString() ?? null,
    totalLatencyMs: finishedAt === null ? 0 : latency(startedAt, finishedAt),
    totalTokens: used.inputTokens + used.outputTokens,
    flowId,
    sessionId: sessionId ?? flowId,
    error,
    input: null,
    output: null,
  }
}

/** Tokens are counted per vertex and shown on its last span. */
function spansToWire({ run, usage, vertexNames }: Trace): z.input<typeof Span>[] {
  const lastOf = new Map(run.spans.map((span) => [span.vertexId, span]))
  return run.spans.map((span) => {
    const { vertexId, startedAt, endedAt, error } = span
    const type = vertexId.split('-')[0] ?? vertexId
    const used = Object.hasOwn(usage, vertexId) ? usage[vertexId] : undefined
    return {
      id: span.id,
      component_id: vertexId,
      name: vertexNames.get(vertexId) ?? type,
      type: type.endsWith('Agent') ? 'agent' : used === undefined ? 'chain' : 'llm',
      status: spanStatus(span),
      startTime: startedAt.toISOString(),
      endTime: endedAt?.toISOString() ?? null,
      latencyMs: endedAt === null ? 0 : latency(startedAt, endedAt),
      inputs: null,
      outputs: span.outputs,
      error,
      modelName: null,
      tokenUsage: used === undefined || lastOf.get(vertexId) !== span ? null : tokens(used),
      children: [],
    }
  })
}

function tokens({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) {
  return {
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    totalTokens: inputTokens + outputTokens,
  }
}

function statusOf(state: JobState): TraceStatus {
  if (state === 'succeeded') return 'ok'
  return state === 'failed' || state === 'cancelled' ? 'error' : 'unset'
}

function spanStatus({ valid, endedAt }: TraceSpan): TraceStatus {
  if (endedAt === null) return 'unset'
  return valid ? 'ok' : 'error'
}

const latency = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())
