import { isObject } from '@x/wire'
import { FlowError, invalidRequest } from '../errors.ts'
import { encodeJson, encodeValue } from '../graph/durable/checkpoint.ts'
import { compilePartly, graphOf, type FlowPlan } from '../graph/plan/compile.ts'
import type { PlanGraph } from '../graph/plan/plan-graph.ts'
import type { ForkOptions, VertexHistory } from './build-jobs.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import type { BuildRequest } from './build-request.ts'

/** A request that reuses results of an earlier job. */
export interface ForkedRequest extends BuildRequest {
  readonly forked?: Forked
}

interface Forked {
  readonly jobId: string
  readonly vertexId: string | null
  /** Vertex states by id, in checkpoint format. */
  readonly kept: Readonly<Record<string, string>>
}

export interface ForkSource {
  readonly jobId: string
  readonly request: BuildRequest
  /** Checkpoints of the job, by name. */
  readonly states: ReadonlyMap<string, string>
}

/**
 * Creates the request of a job that continues from the results of another. Loops and cycles are repeated
 * as a whole, with everything downstream.
 * @throws FlowError `invalid_request` for an unknown vertex or output; `not_resumable` if nothing was stored
 */
export function forkRequest(
  { jobId, request, states }: ForkSource,
  { from, values = {}, tweaks }: ForkOptions,
  components: BuildJobsOptions['components'],
): ForkedRequest {
  if (states.size === 0)
    throw new FlowError('not_resumable', `Job ${jobId} has no stored results to continue from`)
  const graph = graphFor(request, components)
  const built = new Set([...states].flatMap(([id, state]) => (outputsOf(state) ? [id] : [])))
  const again = repeated(graph, { from, built })
  const kept: Record<string, string> = {}
  for (const { id, index } of graph.vertices) {
    const state = again.has(index) ? undefined : states.get(id)
    if (state !== undefined) kept[id] = withValues(state, id, values[id] ?? {})
  }
  for (const id of Object.keys(values)) {
    if (!graph.indexOf.has(id)) throw invalidRequest(`values: there is no vertex ${id}`)
    if (!Object.hasOwn(kept, id)) throw invalidRequest(`values: the vertex ${id} runs again`)
  }
  return {
    ...request,
    resumable: true,
    ...(tweaks === undefined ? {} : { tweaks: { ...request.tweaks, ...tweaks } }),
    forked: { jobId, vertexId: from ?? null, kept },
  }
}

/** The stored results of a job's vertices; `asked` is the vertex waiting for an answer. */
export function historyOf(
  states: ReadonlyMap<string, string>,
  asked: string | undefined,
): VertexHistory[] {
  const found = [...states].flatMap(([vertexId, state]): VertexHistory[] => {
    const stored: unknown = JSON.parse(state)
    if (vertexId === asked || !isObject(stored)) return []
    if (isObject(stored['failed'])) return [{ vertexId, outputs: [], state: 'failed' }]
    const outputs = outputsOf(state)
    return outputs === undefined ? [] : [{ vertexId, outputs, state: 'built' }]
  })
  return asked === undefined ? found : [...found, { vertexId: asked, outputs: [], state: 'asked' }]
}

/** Where a job was forked from, according to its stored request. */
export function forkedFrom(
  request: string,
): { readonly jobId: string; readonly vertexId: string | null } | undefined {
  // Most requests are not forks, so the text is searched before it is parsed.
  if (!request.includes('"forked":{')) return undefined
  const { forked } = JSON.parse(request) as ForkedRequest
  return forked && { jobId: forked.jobId, vertexId: forked.vertexId }
}

function graphFor(request: BuildRequest, components: BuildJobsOptions['components']): PlanGraph {
  const { flow, components: own = components, compat, limits } = request
  const known = graphOf(flow as FlowPlan)
  if (known !== undefined) return known
  if (own === undefined) throw invalidRequest('Pass the option components to fork a job')
  const graph = graphOf(compilePartly(flow, { components: own, compat, limits }))
  if (graph === undefined) throw invalidRequest('The flow of the job cannot be compiled')
  return graph
}

/** Positions of the vertices that run again, including everything downstream. */
function repeated(
  { vertices, indexOf }: PlanGraph,
  { from, built }: { readonly from: string | undefined; readonly built: ReadonlySet<string> },
): ReadonlySet<number> {
  const start = from === undefined ? undefined : indexOf.get(from)
  if (from !== undefined && start === undefined)
    throw invalidRequest(`from: there is no vertex ${from}`)
  const isRepeated = ({ id, loop, cycle, region, index }: PlanGraph['vertices'][number]): boolean =>
    index === start ||
    loop !== undefined ||
    cycle !== undefined ||
    region !== 0 ||
    (start === undefined && !built.has(id))
  const again = new Set<number>()
  const waiting = vertices.filter(isRepeated)
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    if (again.has(vertex.index)) continue
    again.add(vertex.index)
    for (const { target } of vertex.outgoing) {
      const behind = vertices[target]
      if (behind !== undefined) waiting.push(behind)
    }
  }
  return again
}

/** Names of the outputs a state contains; undefined if the state is not a result. */
function outputsOf(state: string): string[] | undefined {
  const stored: unknown = JSON.parse(state)
  const outputs = isObject(stored) ? stored['outputs'] : undefined
  return Array.isArray(outputs)
    ? outputs.map((entry: unknown) => String(Object(entry)[0]))
    : undefined
}

/** A result with some outputs replaced, marked as not computed in this job. */
function withValues(
  state: string,
  vertexId: string,
  values: Readonly<Record<string, unknown>>,
): string {
  const stored = JSON.parse(state) as { outputs?: [string, unknown][] }
  if (!Array.isArray(stored.outputs)) return state
  for (const [name, value] of Object.entries(values)) {
    const entry = stored.outputs.find(([output]) => output === name)
    if (entry === undefined)
      throw invalidRequest(`values: ${vertexId} has no stored output ${name}`)
    const text = encodeJson(() => ({ value: encodeValue(value) }))
    if (text === undefined)
      throw invalidRequest(
        `values: ${vertexId}.${name} cannot be stored; use JSON values, messages, Data or DataFrames`,
      )
    entry[1] = (JSON.parse(text) as { readonly value: unknown }).value
  }
  return JSON.stringify({ ...stored, usedFrozenResult: true })
}
