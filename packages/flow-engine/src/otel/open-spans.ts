import { context, createContextKey, trace, type Context, type Span } from '@opentelemetry/api'
import type { RunInfo, VertexInfo } from '../graph/context/run-hooks.ts'

/** A span with the context in which it is the active one. */
export interface OpenSpan {
  readonly span: Span
  readonly within: Context
}

/** Spans that have begun and not ended, by what they are of. */
export interface OpenSpans {
  readonly runs: Map<string, OpenSpan>
  readonly vertices: Map<string, OpenSpan>
  /** Keeps the span of an info until its end. */
  readonly of: WeakMap<object, OpenSpan>
}

export const openSpans = (): OpenSpans => ({
  runs: new Map(),
  vertices: new Map(),
  of: new WeakMap(),
})

/** The name of one attempt to build a vertex. */
export const vertexKey = ({ runId, vertexId, build, attempt }: VertexInfo): string =>
  `${runId} ${build} ${attempt} ${vertexId}`

const PLACE = createContextKey('@x/flow-engine span of a run or vertex')

/** The span in a context that remembers it, whatever spans of the host are opened within. */
export function openSpan(span: Span, parent: Context): OpenSpan {
  return { span, within: trace.setSpan(parent, span).setValue(PLACE, span) }
}

/**
 * The context to begin something within a span: the active one where it was made within that span, for a
 * span of the host's own may be open in it, else that of the span.
 */
export function contextWithin(outer: OpenSpan | undefined): Context {
  const active = context.active()
  return outer === undefined || active.getValue(PLACE) === outer.span ? active : outer.within
}

/** Attributes of everything within a run. */
export const runAttributes = ({ runId, jobId, flowId, sessionId, requestId }: RunInfo) => ({
  'flow.id': flowId,
  'flow.run.id': runId,
  ...(jobId !== undefined && { 'flow.job.id': jobId }),
  ...(requestId !== undefined && { 'flow.request.id': requestId }),
  ...(sessionId !== '' && { 'gen_ai.conversation.id': sessionId }),
})
