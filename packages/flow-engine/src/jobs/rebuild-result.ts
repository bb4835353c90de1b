import { FlowError, type FlowErrorCode } from '../errors.ts'
import type { RunResult, VertexResult } from '../graph/context/run-options.ts'
import type { VertexBuildJson } from '../graph/events/run-event.ts'
import type { StoredEvent, StoredJob } from '../store/job-store.ts'
import { outputReader } from '../graph/results/result-output.ts'
import { resultText } from '../graph/results/result-text.ts'
import { decodeEvent } from './job-event.ts'
import { storedMessages, storedOutputs, type StoredResult } from './stored-result.ts'

/**
 * Rebuilds a job's result if the process that ran it is gone: the end of each vertex from its log, the values
 * of the output vertices and the rest as stored with its end.
 */
export function rebuildResult(
  job: StoredJob,
  events: readonly StoredEvent[],
  stored: StoredResult | undefined,
): RunResult {
  const vertices = new Map<string, VertexResult>()
  for (const logged of events) {
    const event = decodeEvent(logged)
    if (event.event !== 'end_vertex') continue
    const build = event.data.build_data
    vertices.set(build.id, toVertexResult(build, (vertices.get(build.id)?.builds ?? 0) + 1))
  }
  const outputs = stored === undefined ? [] : storedOutputs(stored)
  for (const output of outputs) vertices.set(output.id, output)
  const { error } = job
  const started = job.startedAt ?? job.createdAt
  const used = usageOf(job)
  const durationMs = stored?.durationMs ?? (job.finishedAt ?? started).getTime() - started.getTime()
  return {
    status: job.state === 'succeeded' || job.state === 'cancelled' ? job.state : 'failed',
    sessionId: stored?.sessionId ?? job.sessionId ?? '',
    flowId: job.flowId,
    outputs,
    vertices,
    error: error === null ? undefined : new FlowError(error.code as FlowErrorCode, error.detail),
    stalled: [...(stored?.stalled ?? [])],
    warnings: [],
    messages: stored === undefined ? [] : storedMessages(stored),
    ...used,
    durationMs,
    spent: stored?.spent ?? {
      modelCalls: 0,
      ...used.usage,
      tokens: used.usage.inputTokens + used.usage.outputTokens,
      seconds: durationMs / 1000,
    },
    text: (component) => resultText({ outputs, vertices }, component),
    output: outputReader(vertices),
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
