import { FlowError, type FlowErrorCode } from '../errors.ts'
import type { RunResult, VertexResult } from '../graph/context/run-options.ts'
import type { VertexBuildJson } from '../graph/events/run-event.ts'
import type { StoredEvent, StoredJob } from '../store/job-store.ts'
import { decodeEvent } from './job-event.ts'

/**
 * Rebuilds a job's result from its log and record if the process that ran it is gone: the end of each vertex,
 * without output values.
 */
export function rebuildResult(job: StoredJob, events: readonly StoredEvent[]): RunResult {
  const vertices = new Map<string, VertexResult>()
  for (const stored of events) {
    const event = decodeEvent(stored)
    if (event.event !== 'end_vertex') continue
    const build = event.data.build_data
    vertices.set(build.id, toVertexResult(build, (vertices.get(build.id)?.builds ?? 0) + 1))
  }
  const { error } = job
  const started = job.startedAt ?? job.createdAt
  return {
    status: job.state === 'succeeded' || job.state === 'cancelled' ? job.state : 'failed',
    sessionId: '',
    flowId: job.flowId,
    outputs: [],
    vertices,
    error: error === null ? undefined : new FlowError(error.code as FlowErrorCode, error.detail),
    stalled: [],
    warnings: [],
    messages: [],
    ...usageOf(job),
    durationMs: (job.finishedAt ?? started).getTime() - started.getTime(),
    text: () => undefined,
    output: () => undefined,
  }
}

function usageOf({ usage }: StoredJob): Pick<RunResult, 'usage' | 'vertexUsage'> {
  const vertexUsage = new Map(Object.entries(usage ?? {}))
  const sum = { inputTokens: 0, outputTokens: 0 }
  for (const { inputTokens, outputTokens } of vertexUsage.values()) {
    sum.inputTokens += inputTokens
    sum.outputTokens += outputTokens
  }
  return { usage: sum, vertexUsage }
}

function toVertexResult(
  { id, valid, data, params }: VertexBuildJson,
  builds: number,
): VertexResult {
  const type = id.split('-')[0] ?? id
  return {
    id,
    type,
    displayName: type,
    valid,
    outputs: {},
    error: valid ? undefined : new FlowError('component_failed', params ?? '', { vertexId: id }),
    usedFrozenResult: data.used_frozen_result,
    builds,
    attempts: 1,
    durationMs: data.timedelta * 1000,
  }
}
