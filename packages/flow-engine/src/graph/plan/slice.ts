import { reachable } from './cycles.ts'
import type { PlanGraph, PlanVertex } from './plan-graph.ts'
import { warning, type FlowProblem } from '../flow/problems.ts'

export interface SliceRequest {
  readonly mode: 'run' | 'build'
  readonly stopComponentId?: string | undefined
  readonly startComponentId?: string | undefined
}

/** The part of a flow that a run builds, and where it starts. */
export interface GraphSlice {
  /** 1 for each vertex in the slice. */
  readonly contains: Uint8Array
  readonly size: number
  /** Vertices that start immediately, in node order. */
  readonly firstLayer: readonly number[]
  /** The start vertex, if it enters its cycle. */
  readonly entry: number | undefined
  /** Number of edges each vertex outside loops waits for, by position; undefined if a cycle is entered. */
  readonly waiting: readonly number[] | undefined
  readonly warnings: readonly FlowProblem[]
}

/** Selects the vertices to run; an unknown id selects none. */
export function sliceOf(graph: PlanGraph, request: SliceRequest): GraphSlice {
  const stop = positionOf(graph, request.stopComponentId)
  const start = positionOf(graph, request.startComponentId)
  if (stop === null || start === null) return nothing(graph, request)
  const explicit = stop !== undefined || start !== undefined
  const implicit = !explicit && request.mode === 'run' ? inputOf(graph.vertices) : undefined
  return cut(graph, { stop, start: start ?? implicit, given: start !== undefined }, request)
}

interface Ends {
  readonly stop: number | undefined
  readonly start: number | undefined
  /** True if the start was requested by id. */
  readonly given: boolean
}

function cut(graph: PlanGraph, ends: Ends, request: SliceRequest): GraphSlice {
  let { stop, start } = ends
  if (stop !== undefined && graph.vertices[stop]?.inCycle === true) {
    start ??= stop
    stop = undefined
  }
  let kept: Set<number> | undefined
  if (stop !== undefined) kept = ancestors(graph, [stop])
  if (start !== undefined) {
    if (kept !== undefined && !kept.has(start)) return nothing(graph, request)
    kept = around(graph, start, kept)
  }
  const contains = new Uint8Array(graph.vertices.length)
  if (kept === undefined) contains.fill(1)
  else for (const vertex of kept) contains[vertex] = 1
  const size = kept?.size ?? graph.vertices.length
  const first = begin(graph, contains, start)
  const waiting = first.entry === undefined ? openEdges(graph, contains) : undefined
  return { contains, size, ...first, waiting, warnings: [] }
}

function openEdges({ vertices, regions }: PlanGraph, contains: Uint8Array): readonly number[] {
  return (regions[0]?.members ?? []).map((member) => {
    if (contains[member] !== 1) return 0
    const incoming = vertices[member]?.incoming ?? []
    return incoming.filter((edge) => !edge.loopBack && contains[edge.source] === 1).length
  })
}

function begin(
  graph: PlanGraph,
  contains: Uint8Array,
  start: number | undefined,
): Pick<GraphSlice, 'firstLayer' | 'entry'> {
  const entry = start !== undefined && isCyclic(graph.vertices[start]) ? start : undefined
  const inside = graph.vertices.filter((vertex) => contains[vertex.index] === 1)
  const roots = inside.filter((vertex) => isRoot(vertex, contains))
  if (roots.length === 0) {
    const first = start === undefined ? inputOf(inside) : start
    const vertex = first === undefined ? undefined : graph.vertices[first]
    return vertex === undefined
      ? { firstLayer: [], entry: undefined }
      : { firstLayer: [vertex.index], entry: isCyclic(vertex) ? vertex.index : undefined }
  }
  const first = roots.map((vertex) => vertex.index)
  if (entry !== undefined && waitsOnlyForItsCycle(graph, entry)) first.push(entry)
  if (start !== undefined) return { firstLayer: first.toSorted((a, b) => a - b), entry }
  const chats = roots.filter((vertex) => vertex.kind === 'chatInput')
  const [chat] = chats
  return { firstLayer: chats.length === 1 && chat ? [chat.index] : first, entry }
}

function isCyclic(vertex: PlanVertex | undefined): boolean {
  return vertex !== undefined && (vertex.cycle !== undefined || vertex.incoming.some((e) => e.self))
}

function isRoot(vertex: PlanVertex, contains: Uint8Array): boolean {
  return vertex.incoming.every((edge) => contains[edge.source] !== 1)
}

function waitsOnlyForItsCycle(graph: PlanGraph, entry: number): boolean {
  const vertex = graph.vertices[entry]
  return (
    vertex?.incoming.every(
      (edge) => edge.self || graph.vertices[edge.source]?.cycle === vertex.cycle,
    ) === true
  )
}

/** Everything reachable from the start, and all its dependencies. */
function around(graph: PlanGraph, start: number, within: ReadonlySet<number> | undefined) {
  const next = graph.vertices.map((vertex) =>
    vertex.outgoing.map((edge) => edge.target).filter((target) => within?.has(target) !== false),
  )
  const ahead = reachable([start], next)
  const needed = ancestors(graph, ahead)
  return within === undefined ? needed : new Set([...needed].filter((v) => within.has(v)))
}

function ancestors(graph: PlanGraph, starts: Iterable<number>): Set<number> {
  const seen = new Set(starts)
  for (const vertex of seen) {
    for (const edge of graph.vertices[vertex]?.incoming ?? []) seen.add(edge.source)
  }
  return seen
}

/** The webhook input, else the chat input. */
function inputOf(vertices: readonly PlanVertex[]): number | undefined {
  const webhook = vertices.find((vertex) => vertex.kind === 'webhook')
  return (webhook ?? vertices.find((vertex) => vertex.kind === 'chatInput'))?.index
}

/** undefined: not requested; null: no such vertex. */
function positionOf(graph: PlanGraph, id: string | undefined): number | undefined | null {
  if (id === undefined) return undefined
  return graph.indexOf.get(id) ?? null
}

function nothing(graph: PlanGraph, request: SliceRequest): GraphSlice {
  const { stopComponentId: stop, startComponentId: start } = request
  const unknown = [stop, start].find((id) => id !== undefined && !graph.indexOf.has(id))
  const text =
    unknown === undefined
      ? `Vertex ${start} is not among what ${stop} leaves`
      : `Vertex ${unknown} not found`
  const nodeId = unknown ?? start ?? ''
  return {
    contains: new Uint8Array(graph.vertices.length),
    size: 0,
    firstLayer: [],
    entry: undefined,
    waiting: undefined,
    warnings: [warning('unknown_slice', text, { nodeId })],
  }
}
