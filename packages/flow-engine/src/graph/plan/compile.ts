import { append, isObject, OptionError, ownText } from '@x/wire'
import { FlowCompileError } from '../../errors.ts'
import { isFlowDraft, readDraft, type FlowDraft } from '../draft/flow-draft.ts'
import { buildGraph } from './build-graph.ts'
import { checkEdges, ignoredEdges, type CheckedEdge } from './check-edges.ts'
import {
  expandGroups,
  type FlatEdge,
  type FlatGraph,
  type FlatNode,
} from '../flow/expand-groups.ts'
import { isSourceHandle } from '../flow/handles.ts'
import { findGraph, noGraph, type FlowJson, type NodeDetails } from '../flow/flow-json.ts'
import type { ShapeOf, Typed } from '../flow/typed-flow.ts'
import { completeLimits } from './limits.ts'
import {
  COMPILE_PAGE,
  readCompileOptions,
  type CompileOptions,
  type DraftCompileOptions,
} from './compile-options.ts'
import { readBudget, type RunBudget } from './run-budget.ts'
import type { PlanGraph } from './plan-graph.ts'
import { asWarning, problem, sortProblems, warning, type FlowProblem } from '../flow/problems.ts'
import { connectedStreams } from './check-streams.ts'
import { withPresentNames } from './rename-fields.ts'
import { resolveNode, type NodeEnds } from './resolve-node.ts'
import { unknownComponent } from './unknown-component.ts'
import { unknownTypes, type UnknownNode } from './unknown-types.ts'
import { sharedKeyEdges } from './shared-key-edges.ts'
import { isOfClass, resolvedNode, type ResolvedNode } from './vertex-plan.ts'

/** A compiled flow. It can be run any number of times, also concurrently. Frozen. */
export interface FlowPlan {
  readonly flow: FlowJson
  /** In node order, with groups expanded. */
  readonly vertexIds: readonly string[]
  readonly compat: 'strict' | 'default'
  readonly warnings: readonly FlowProblem[]
  readonly budget?: RunBudget | undefined
}

export type { CompileOptions, DraftCompileOptions }

const graphs = new WeakMap<FlowPlan, PlanGraph>()
const unknowns = new WeakMap<FlowPlan, readonly UnknownNode[]>()
const buildOnly = new WeakMap<FlowPlan, readonly FlowProblem[]>()

/**
 * @throws FlowCompileError with every problem of the flow
 * @throws OptionError, a TypeError, for a wrong, missing or unknown option
 */
export function compileFlow(draft: FlowDraft, options?: DraftCompileOptions): FlowPlan
export function compileFlow<F>(
  flow: F,
  options: CompileOptions,
): [ShapeOf<F>] extends [never] ? FlowPlan : FlowPlan & Typed<ShapeOf<F>>
export function compileFlow(given: unknown, options: DraftCompileOptions = {}): FlowPlan {
  return compileGiven(given, readCompileOptions('compileFlow', options), 'strict')
}

/**
 * Like `compileFlow`, but unknown node types are not yet errors: in a partial run, only nodes that are
 * part of it count.
 * @throws FlowCompileError with every other problem of the flow
 */
export function compilePartly(flow: unknown, options: CompileOptions): FlowPlan {
  return compileGiven(flow, options, 'keep-unknown')
}

/** @throws FlowCompileError; OptionError without components */
export function compileGiven(
  given: unknown,
  options: DraftCompileOptions,
  mode: 'strict' | 'keep-unknown',
): FlowPlan {
  const [flow, complete] = withComponents(given, options)
  return planOf(flow, analyse(flow, complete, mode), complete)
}

/** @throws OptionError without components */
export function withComponents(
  given: unknown,
  options: DraftCompileOptions,
  called = 'compileFlow',
): readonly [flow: unknown, CompileOptions] {
  if (isFlowDraft(given)) {
    const { flow, components } = readDraft(given, options.components)
    return [flow, { ...options, components }]
  }
  const { components } = options
  if (components === undefined)
    throw new OptionError('components', `${called}: option "components" is required`, COMPILE_PAGE)
  return [given, { ...options, components }]
}

/** One problem for each of these vertices whose type is unknown; all vertices without `ids`. */
export function unknownProblems(plan: FlowPlan, ids?: ReadonlySet<string>): FlowProblem[] {
  const unknown = unknowns.get(plan) ?? []
  const registry = graphs.get(plan)?.registry
  if (unknown.length === 0 || registry === undefined) return []
  return unknownTypes(
    unknown.filter(({ node }) => ids === undefined || ids.has(node.id)),
    registry,
  )
}

/** The problems of a plan that refuse builds only: several chat inputs. */
export function buildProblems(plan: FlowPlan): readonly FlowProblem[] {
  return buildOnly.get(plan) ?? []
}

function planOf(flow: unknown, analysis: Analysis, options: CompileOptions): FlowPlan {
  const { problems, inputs, dangling, nodes, edges, unknown } = analysis
  if (problems.length > 0) throw new FlowCompileError(sortProblems([...problems, ...inputs]))
  const warnings = [...analysis.warnings, ...inputs.map(asWarning)]
  const graph = buildGraph(nodes, edges, options.components)
  const plan: FlowPlan = Object.freeze({
    flow: flow as FlowJson,
    vertexIds: Object.freeze(graph.vertices.map((vertex) => vertex.id)),
    compat: options.compat ?? 'default',
    warnings: Object.freeze(warnings),
    ...(options.budget === undefined ? {} : { budget: readBudget('compileFlow', options.budget) }),
  })
  graphs.set(plan, graph)
  if (unknown.length > 0) unknowns.set(plan, unknown)
  const ofBuilds = sortProblems([...inputs, ...dangling])
  if (ofBuilds.length > 0) buildOnly.set(plan, ofBuilds)
  return plan
}

/** The graph built by `compileFlow`; undefined if the object was not created by it. */
export function graphOf(plan: FlowPlan): PlanGraph | undefined {
  return graphs.get(plan)
}

export interface Analysis {
  readonly problems: readonly FlowProblem[]
  /** Errors of builds; warnings of runs, which start at the first chat input. */
  readonly inputs: readonly FlowProblem[]
  /** Errors of builds. Runs ignore these edges, and the warnings name them. */
  readonly dangling: readonly FlowProblem[]
  readonly warnings: readonly FlowProblem[]
  readonly nodes: readonly ResolvedNode[]
  readonly edges: readonly CheckedEdge[]
  /** Kept among the nodes, with a placeholder component. */
  readonly unknown: readonly UnknownNode[]
}

/** Runs all checks and resolves nodes and edges. */
export function analyse(
  flow: unknown,
  options: CompileOptions,
  mode: 'strict' | 'keep-unknown' | 'each-node' = 'strict',
): Analysis {
  const raw = findGraph(flow)
  if (raw === undefined) {
    const problems = [noGraph(flow)]
    return { problems, inputs: [], dangling: [], warnings: [], nodes: [], edges: [], unknown: [] }
  }
  const graph = expandGroups(raw)
  const problems: FlowProblem[] = [...graph.problems, ...tooLarge(graph, options)]
  const warnings: FlowProblem[] = []
  const unique = uniqueNodes(graph.nodes, warnings)
  const unknown: UnknownNode[] = []
  const ends = endsOf(graph.edges)
  const byId = resolveNodes(unique, options, { problems, warnings, unknown, ends })
  if (mode === 'strict') append(problems, unknownTypes(unknown.splice(0), options.components))
  else if (mode === 'each-node')
    for (const one of unknown.splice(0)) append(problems, unknownTypes([one], options.components))
  else
    for (const { node } of unknown)
      byId.set(node.id, resolvedNode(node, unknownComponent(node), undefined))
  const nodes = [...byId.values()].filter((node) => node !== null)
  const dangling: FlowProblem[] = []
  const drawn = checkEdges(graph.edges, byId, { problems, dangling })
  for (const { message, nodeId, edgeId } of dangling) {
    const text = `An edge is ignored: ${message}`
    warnings.push(
      warning('dangling_edge', text, { ...(nodeId !== undefined && { nodeId }), edgeId }),
    )
  }
  if (isNewer(flow)) warnings.push(warning('newer_version', newerText(flow)))
  const edges = [...drawn, ...sharedKeyEdges(nodes, drawn)]
  // Not spread: a call takes fewer arguments than a flow may have edges.
  for (const one of ignoredEdges(drawn, byId)) warnings.push(one)
  for (const one of connectedStreams(nodes, edges)) problems.push(one)
  const inputs = severalChatInputs(nodes, graph)
  return { problems, inputs, dangling, warnings, nodes, edges, unknown }
}

/** The newest version whose files are known to run. */
const KNOWN_VERSION = [1, 13]

function isNewer(flow: unknown): boolean {
  const [major = 0, minor = 0] = (savedBy(flow) ?? '').split('.').map((part) => parseInt(part, 10))
  const [known = 0, knownMinor = 0] = KNOWN_VERSION
  return major > known || (major === known && minor > knownMinor)
}

function newerText(flow: unknown): string {
  const known = KNOWN_VERSION.join('.')
  return `The flow was saved by version ${(savedBy(flow) ?? '').slice(0, 50)}; files up to ${known} are known to run`
}

function savedBy(flow: unknown): string | undefined {
  return isObject(flow) ? ownText(flow, 'last_tested_version') : undefined
}

function tooLarge({ nodes, edges }: FlatGraph, options: CompileOptions): FlowProblem[] {
  const limits = completeLimits(options.limits)
  return [
    { name: 'vertices', limit: limits.vertices, count: nodes.length },
    { name: 'edges', limit: limits.edges, count: edges.length },
  ]
    .filter(({ limit, count }) => count > limit)
    .map(({ name, limit, count }) =>
      problem('too_large', `The flow has ${count} ${name}; the limit ${name} is ${limit}`),
    )
}

/** The last of several nodes with the same id counts, at the place of the first. */
function uniqueNodes(nodes: readonly FlatNode[], warnings: FlowProblem[]): Map<string, FlatNode> {
  const unique = new Map<string, FlatNode>()
  for (const node of nodes) {
    if (unique.has(node.id)) {
      const text = `Duplicate vertex ${node.id}`
      warnings.push(warning('duplicate_node_id', text, { nodeId: node.id }))
    }
    unique.set(node.id, node)
  }
  return unique
}

interface Findings {
  readonly problems: FlowProblem[]
  readonly warnings: FlowProblem[]
  readonly unknown: UnknownNode[]
  readonly ends: ReadonlyMap<string, NodeEnds>
}

/** The fields and outputs that edges use, by node. */
function endsOf(edges: readonly FlatEdge[]): ReadonlyMap<string, NodeEnds> {
  const ends = new Map<string, { fields: Set<string>; outputs: Set<string> }>()
  const of = (id: string) => {
    const known = ends.get(id) ?? { fields: new Set<string>(), outputs: new Set<string>() }
    ends.set(id, known)
    return known
  }
  for (const { source, target, sourceHandle, targetHandle } of edges) {
    if (sourceHandle.name !== undefined) of(source).outputs.add(sourceHandle.name)
    const field = isSourceHandle(targetHandle) ? targetHandle.name : targetHandle.fieldName
    if (field !== undefined) of(target).fields.add(field)
  }
  return ends
}

/** Nodes by id; null if the component is unknown. */
function resolveNodes(
  nodes: ReadonlyMap<string, FlatNode>,
  options: CompileOptions,
  { problems, warnings, unknown, ends }: Findings,
): Map<string, ResolvedNode | null> {
  const resolved = new Map<string, ResolvedNode | null>()
  for (const node of nodes.values()) {
    const { component, why, needs, notice } = resolveNode(node, options, ends.get(node.id))
    if (component === undefined) {
      unknown.push({ node, why, needs })
      resolved.set(node.id, null)
      continue
    }
    const made = component.forNode?.(node.details as NodeDetails) ?? component
    resolved.set(node.id, resolvedNode(withPresentNames(node, made), made, notice))
    if (notice === undefined) continue
    if (options.edited === 'refuse') {
      problems.push(problem('edited_component', notice, { nodeId: node.id }))
    } else {
      warnings.push(warning('edited_component', notice, { nodeId: node.id }))
    }
  }
  return resolved
}

function severalChatInputs(nodes: readonly ResolvedNode[], graph: FlatGraph): FlowProblem[] {
  const fed = new Set(graph.edges.map((edge) => edge.target))
  const inputs = nodes.filter((node) => isOfClass(node, 'ChatInput') && !fed.has(node.node.id))
  const second = inputs[1]
  if (second === undefined) return []
  const text = 'Only one chat input is allowed in the graph'
  return [problem('several_chat_inputs', text, { nodeId: second.node.id })]
}
