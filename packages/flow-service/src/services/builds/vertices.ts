import { setLru, type Runtime } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { FlowCompileError } from '@x/flow-engine'
import { readCheckpoint } from '@x/flow-engine/internal'
import { buildProblems, compilePartly, graphOf, unknownProblems } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import type { CodeAbility } from '@x/flow-engine/internal'
import type { PlanGraph, PlanVertex } from '@x/flow-engine/internal'
import type { VertexBuildJson } from '@x/flow-engine'
import { sliceOf } from '@x/flow-engine/internal'
import { isMessage } from '@x/flow-engine'
import type { FlowRecord } from '../../store/flows.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { Caller } from '../base/caller.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import { missingPredecessor, nextVertices, type BuildProgress } from './next-vertices.ts'
import type { PlanCache } from '../runs/plan-cache.ts'
import type { Runner } from '../runs/runner.ts'
import { runErrorText } from '../../run-error-text.ts'
import { refuse } from '../../refusal.ts'
import { describeFailure, describeUnbuilt } from './unbuilt-vertex.ts'

/** Maximum number of graphs cached between the calls for individual vertices, over all users. */
const MAX_CACHED = 64

/** Builds a flow one vertex at a time. */
export interface VertexService {
  /** @throws Refusal 404 if the flow is not the caller's */
  check(caller: Caller, flowId: string): Promise<void>
  /** @throws Refusal 400, 404 */
  order(
    caller: Caller,
    flowId: string,
    request: {
      graph: object | null
      stopComponentId: string | null
      startComponentId: string | null
    },
  ): Promise<{ ids: string[]; run_id: string; vertices_to_run: string[] }>
  /** @throws Refusal 404 */
  build(
    caller: Caller,
    ids: { flow_id: string; vertex_id: string },
    input: {
      value: string | null
      session: string | null
      files: readonly string[]
      /** Cancels the build. */
      signal: AbortSignal
      origin?: RunOrigin
    },
  ): Promise<VertexBuildJson>
  /** The frames of a vertex's stream, including the closing one. */
  stream(
    caller: Caller,
    ids: { flow_id: string; vertex_id: string },
  ): Promise<{ event: string; data: Record<string, string> }[]>
}

export interface VertexServiceOptions {
  readonly store: FlowStore
  readonly components: ComponentRegistry
  /** Runs the code of nodes. */
  readonly customCode: CodeAbility | undefined
  readonly plans: PlanCache
  readonly runner: Pick<Runner, 'start'>
  readonly runtime: Pick<Runtime, 'now'> | undefined
  readonly uuid: () => string
}

interface KeptGraph extends BuildProgress {
  readonly plan: FlowPlan
  /** Default session for messages. */
  readonly session: string
  readonly states: Map<string, string>
  readonly closed: Map<string, ReadonlySet<string>>
}

export function createVertexService(options: VertexServiceOptions): VertexService {
  const { store, plans, runner, components, customCode, runtime, uuid } = options
  const kept = new Map<string, KeptGraph>()
  const keyOf = (caller: Caller, flowId: string): string => `${caller.id}/${flowId}`

  const own = async (caller: Caller, flowId: string): Promise<FlowRecord> => {
    const flow = await ownFlow(store, caller.id, flowId)
    if (flow === null) throw refuse(404, `Flow with id ${flowId} not found`)
    return flow
  }
  const compile = (flow: FlowRecord, graph: object | null): FlowPlan => {
    try {
      if (graph !== null)
        return buildable(compilePartly({ id: flow.id, data: graph }, { components, customCode }))
      return buildable(plans.getPartly(flow.id, flow.name, flow.data ?? '{}'))
    } catch (error) {
      if (!(error instanceof FlowCompileError)) throw error
      throw refuse(400, runErrorText(error), { cause: error })
    }
  }
  const keep = (key: string, entry: KeptGraph): KeptGraph => setLru(kept, key, entry, MAX_CACHED)
  const graphFor = async (caller: Caller, flowId: string): Promise<KeptGraph> => {
    const flow = await own(caller, flowId)
    const key = keyOf(caller, flowId)
    const known = kept.get(key)
    if (known !== undefined) return known
    const plan = compile(flow, null)
    return keep(key, {
      plan,
      graph: required(plan),
      session: flowId,
      ordered: new Set(),
      states: new Map(),
      closed: new Map(),
      announced: new Set(),
    })
  }

  return {
    async check(caller, flowId) {
      await own(caller, flowId)
    },
    async order(caller, flowId, { graph, stopComponentId, startComponentId }) {
      const flow = await own(caller, flowId)
      if (stopComponentId !== null && startComponentId !== null)
        throw refuse(400, 'Send either stop_component_id or start_component_id, not both')
      const plan = compile(flow, graph)
      const planned = required(plan)
      const slice = sliceOf(planned, {
        mode: 'build',
        stopComponentId: stopComponentId ?? undefined,
        startComponentId: startComponentId ?? undefined,
      })
      const ids = planned.vertices.filter(({ index }) => slice.contains[index] === 1)
      const first = slice.firstLayer.flatMap((index) => planned.vertices[index]?.id ?? [])
      keep(keyOf(caller, flowId), {
        plan,
        graph: planned,
        session: graph === null ? flowId : '',
        ordered: new Set(ids.map(({ id }) => id)),
        states: new Map(),
        closed: new Map(),
        announced: new Set(first),
      })
      return {
        ids: first,
        run_id: uuid(),
        vertices_to_run: ids.map(({ id }) => id),
      }
    },

    async build(caller, { flow_id: flowId, vertex_id: vertexId }, input) {
      const entry = await graphFor(caller, flowId)
      const vertex = vertexOf(entry.graph, vertexId)
      if (vertex === undefined) throw refuse(404, `Vertex ${vertexId} not found`)
      const missing = missingPredecessor(vertex, entry)
      if (missing !== undefined) return describeUnbuilt(vertex, missing, runtime?.now())
      const [unknown] = unknownProblems(entry.plan, new Set([vertexId]))
      if (unknown !== undefined) return describeFailure(vertex, unknown.message, runtime?.now())
      const { states, plan, session } = entry
      const { value } = input
      const { run, recorded } = await runner.start({
        plan,
        owner: { userId: caller.id, flowId },
        options: {
          mode: 'build',
          sessionId: input.session ?? session,
          input: { files: input.files, ...(value === null ? {} : { value }) },
          stopComponentId: vertexId,
          signal: input.signal,
          ...input.origin,
        },
        records: 'build',
        door: 'vertex',
        host: {
          resume: {
            firstSeq: 0,
            checkpoints: new Map([...states].filter(([id]) => id !== vertexId)),
            sorted: true,
            reported: new Map(
              [...states.keys()].filter((id) => id !== vertexId).map((id) => [id, 1]),
            ),
          },
          checkpoint: async (id, state) => {
            states.set(id, state)
            entry.closed.set(id, closedBy(state))
            return true
          },
        },
      })
      let built: VertexBuildJson | undefined
      for await (const event of run)
        if (event.event === 'end_vertex' && event.data.build_data.id === vertexId)
          built = event.data.build_data
      await recorded
      if (built === undefined) return describeUnbuilt(vertex, vertex, runtime?.now())
      const next = built.valid ? nextVertices(vertex, entry, built.inactivated_vertices) : []
      return {
        ...built,
        next_vertices_ids: next.map(({ id }) => id),
        top_level_vertices: [...new Set(next.map(({ topLevelId }) => topLevelId))],
      }
    },

    async stream(caller, { flow_id: flowId, vertex_id: vertexId }) {
      const close = { event: 'close', data: { message: 'Stream closed' } }
      const failed = (error: string) => [{ event: 'error', data: { error } }, close]
      const entry = kept.get(keyOf(caller, flowId))
      if (entry === undefined) return failed(`No cache found for ${flowId}.`)
      const vertex = vertexOf(entry.graph, vertexId)
      if (vertex === undefined) return failed(`Vertex ${vertexId} not found`)
      if (vertex.role === undefined) return failed(`Vertex ${vertexId} does not support streaming`)
      return [
        { event: 'message', data: { message: `Streaming vertex ${vertexId}` } },
        ...chunksOf(entry.states.get(vertexId)),
        close,
      ]
    },
  }
}

/** The outputs that a built vertex closed. */
function closedBy(state: string): ReadonlySet<string> {
  const result = readCheckpoint(state, undefined)
  const isBuilt = result !== undefined && result !== 'started' && 'decision' in result
  return isBuilt ? result.decision.dead : new Set()
}

/** The text of a built vertex as a single chunk. */
function chunksOf(state: string | undefined) {
  const result = readCheckpoint(state, undefined)
  const isBuilt = result !== undefined && result !== 'started' && 'outputs' in result
  const values = isBuilt ? Object.values(result.outputs) : []
  const text = values.find(isMessage)?.text
  if (typeof text !== 'string' || text === '') return []
  return [{ event: 'message', data: { chunk: text } }]
}

function buildable(plan: FlowPlan): FlowPlan {
  const problems = buildProblems(plan)
  if (problems.length > 0) throw new FlowCompileError(problems)
  return plan
}

function required(plan: FlowPlan): PlanGraph {
  const graph = graphOf(plan)
  if (graph === undefined) throw new TypeError('Expected a plan returned by compileFlow')
  return graph
}

function vertexOf({ indexOf, vertices }: PlanGraph, id: string): PlanVertex | undefined {
  const index = indexOf.get(id)
  return index === undefined ? undefined : vertices[index]
}
