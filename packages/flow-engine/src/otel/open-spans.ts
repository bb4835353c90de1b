import { context, createContextKey, trace, type Context, type Span } from '@opentelemetry/api'
import type { RunInfo, VertexInfo } from '../graph/context/run-hooks.ts'

/** A span and the context in which it is active. */
export interface OpenSpan {
  readonly span: Span
  readonly within: Context
}

/** Spans that have not ended, by subject. */
export interface OpenSpans {
  readonly runs: Map<string, OpenSpan>
  readonly vertices: Map<string, OpenSpan>
  /** The span of an info object. */
  readonly of: WeakMap<object, OpenSpan>
}

export const openSpans = (): OpenSpans => ({
  runs: new Map(),
  vertices: new Map(),
  of: new WeakMap(),
})

/** Identifies one attempt at building a vertex. */
export const vertexKey = ({ runId, vertexId, build, attempt }: VertexInfo): string =>
  `${runId} ${build} ${attempt} ${vertexId}`

const PLACE = createContextKey('@x/flow-engine span of a run or vertex')

/** Adds the span to a context under a key of its own, so that spans the host opens inside do not hide it. */
export function openSpan(span: Span, parent: Context): OpenSpan {
  return { span, within: trace.setSpan(parent, span).setValue(PLACE, span) }
}

/**
 * The parent context within a span: the active context if it derives from that span (a host span may be open
 * in it), else the span's own.
 */
export function contextWithin(outer: OpenSpan | undefined): Context {
  const active = context.active()
  return outer === undefined || active.getValue(PLACE) === outer.span ? active : outer.within
}

/** Attributes of all spans of a run. */
export const runAttributes = ({ runId, jobId, flowId, sessionId, requestId }: RunInfo) => ({
  'flow.id': flowId,
  'flow.run.id': runId,
  ...(jobId !== undefined && { 'flow.job.id': jobId }),
  ...(requestId !== undefined && { 'flow.request.id': requestId }),
  ...(sessionId !== '' && { 'gen_ai.conversation.id': sessionId }),
})
