import { isObject, type PlainObject } from '@x/wire'
import { fitsWithoutMeasuring } from '../events/event-size.ts'
import { FlowCompileError, FlowError, invalidRequest } from '../../errors.ts'
import {
  buildProblems,
  compileGiven,
  graphOf,
  unknownProblems,
  type FlowPlan,
} from '../plan/compile.ts'
import { completeLimits, type RunLimits } from '../plan/limits.ts'
import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { readNamedInputs, type VertexInputs } from './named-inputs.ts'
import { readBudget, tighterBudget, type RunBudget } from '../plan/run-budget.ts'
import { RunContext } from './run-context.ts'
import type { RunHost } from './run-host.ts'
import type { RunInput, RunOptions } from './run-options.ts'
import { sliceOf, type GraphSlice } from '../plan/slice.ts'
import { zeros } from '../values/create-pooled-array.ts'
import { applyTweaks, refuseInputTweak, type AppliedTweaks } from './tweaks.ts'

/** A class because copies made by spreading get separate V8 hidden classes. */
class CheckedInput {
  readonly value: string | undefined
  readonly type: 'chat' | 'text' | 'any'
  readonly components: RunInput['components']
  readonly files: RunInput['files']

  constructor(input: RunInput, value: string | undefined, type: 'chat' | 'text' | 'any') {
    this.value = value
    this.type = type
    this.components = input.components
    this.files = input.files
  }
}

/** A run whose options were checked, with the defaults in place of what was not given. */
export abstract class CheckedRun extends RunContext {
  readonly plan: FlowPlan
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  readonly tweaks: AppliedTweaks
  readonly inputs: VertexInputs
  readonly mode: 'run' | 'build'
  readonly strict: boolean
  readonly budget: RunBudget | undefined
  /** Concurrent passes of each loop. */
  readonly parallel: number
  readonly input: CheckedInput
  /** Builds so far, by vertex position; a resumed loop adds the builds of the passes it skips. */
  readonly builds: number[]

  /**
   * @throws FlowCompileError if the flow cannot be run
   * @throws FlowError `invalid_request`
   */
  constructor(flow: unknown, options: RunOptions, host: RunHost) {
    const { mode = 'run' } = options
    const input = readInput(options, mode)
    const parallel = options.parallel ?? 1
    const budget = readBudget('runFlow', options.budget)
    checkNote('carrier', options.carrier)
    checkNote('requestId', options.requestId)
    const plan = planOf(flow, options)
    const graph = graphOf(plan)
    if (graph === undefined) throw invalidRequest('Expected a plan returned by compileFlow')
    if (mode === 'build' && buildProblems(plan).length > 0)
      throw new FlowCompileError(buildProblems(plan))
    const slice = sliceFor(graph, options, mode)
    refuseUnknown(plan, { graph, slice }, options)
    const tweaks = applyTweaks(graph, options.tweaks)
    const inputs = readNamedInputs(graph, options.inputs)
    const limits = completeLimits(options.limits)
    checkInputSize(input.value, limits)
    super({ options, host, limits, flow: asObject(plan.flow) })
    this.plan = plan
    this.graph = graph
    this.slice = slice
    this.tweaks = tweaks
    this.inputs = inputs
    this.mode = mode
    this.strict = plan.compat === 'strict'
    this.budget = tighterBudget(plan.budget, budget)
    this.parallel = parallel
    this.input = input
    this.builds = zeros(graph.vertices.length)
  }

  protected override holds(text: string): boolean {
    const { tweaks, input, variables } = this.options
    const written = JSON.stringify(text).slice(1, -1)
    return JSON.stringify([this.plan.flow, tweaks, input, variables]).includes(written)
  }
}

function planOf(flow: unknown, options: RunOptions): FlowPlan {
  if (isPlan(flow)) return flow
  const { components, compat, limits, services } = options
  const customCode = services?.codeRunner
  const given = { components, compat, limits, customCode }
  return compileGiven(flow, given, isPart(options) ? 'keep-unknown' : 'strict')
}

function isPart({ stopComponentId, startComponentId }: RunOptions): boolean {
  return stopComponentId !== undefined || startComponentId !== undefined
}

/** For a partial run only the vertices of its slice count. */
function refuseUnknown(
  plan: FlowPlan,
  { graph, slice }: Pick<CheckedRun, 'graph' | 'slice'>,
  options: RunOptions,
): void {
  const some = unknownProblems(plan)
  if (some.length === 0) return
  const inside = graph.vertices.filter(({ index }) => slice.contains[index] === 1)
  const problems = isPart(options)
    ? unknownProblems(plan, new Set(inside.map(({ id }) => id)))
    : some
  if (problems.length > 0) throw new FlowCompileError(problems)
}

function isPlan(flow: unknown): flow is FlowPlan {
  return typeof flow === 'object' && flow !== null && graphOf(flow as FlowPlan) !== undefined
}

/** Null becomes "", undefined means no input. */
function readInput(options: RunOptions, mode: 'run' | 'build'): CheckedInput {
  const given: unknown = options.input
  const input = isObject(given) ? (given as RunInput) : { value: readText(given) }
  const value = readText(input.value)
  const type = input.type ?? (mode === 'build' ? 'any' : 'chat')
  if (value !== undefined) refuseInputTweak(options.tweaks, type)
  return new CheckedInput(input, value, type)
}

/** An input that no event could carry is refused before anything runs. */
function checkInputSize(value = '', { eventBytes }: RunLimits): void {
  if (fitsWithoutMeasuring(value.length, eventBytes)) return
  if (new TextEncoder().encode(JSON.stringify(value)).length <= eventBytes - 64 * 1024) return
  const megabytes = Math.floor(eventBytes / 1024 / 1024)
  throw new FlowError('too_large', `input_value is larger than ${megabytes} MB.`)
}

const MAX_NOTE_LENGTH = 1024

/** `requestId` and `carrier` are stored with each job, so their size is bounded. */
function checkNote(name: string, value: unknown): void {
  if (value === undefined) return
  if ((JSON.stringify(value) ?? '').length > MAX_NOTE_LENGTH)
    throw invalidRequest(
      `The option ${name} must have at most ${MAX_NOTE_LENGTH} characters of JSON`,
    )
}

function readText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return ''
  if (typeof value !== 'string') throw invalidRequest('The input value must be a string or null')
  return value
}

function asObject(flow: unknown): PlainObject {
  return isObject(flow) ? flow : {}
}

const slices = new WeakMap<PlanGraph, Map<string, GraphSlice>>()
const MAX_CACHED_SLICES = 16

/** Slices depend only on the plan and are cached with it. */
function sliceFor(graph: PlanGraph, options: RunOptions, mode: 'run' | 'build'): GraphSlice {
  const { stopComponentId, startComponentId } = options
  const whole = stopComponentId === undefined && startComponentId === undefined
  const key = whole ? mode : JSON.stringify([mode, stopComponentId, startComponentId])
  const before = slices.get(graph)
  const known = before?.get(key)
  if (known !== undefined) return known
  const kept = before ?? new Map<string, GraphSlice>()
  slices.set(graph, kept)
  const slice = sliceOf(graph, { mode, stopComponentId, startComponentId })
  if (kept.size < MAX_CACHED_SLICES) kept.set(key, slice)
  return slice
}

/** True for vertices that receive the request's input. */
export function takesInput(vertex: PlanVertex, { mode, input }: CheckedRun): boolean {
  if (mode === 'build') return vertex.kind === 'chatInput'
  if (vertex.role !== 'input') return false
  const { type, components = [] } = input
  if (type !== 'any' && !vertex.id.toLowerCase().includes(type)) return false
  return (
    components.length === 0 ||
    components.includes(vertex.id) ||
    components.includes(vertex.displayName)
  )
}

/** Selects the vertices whose results are reported, in node order. */
export function selectsOutput(run: CheckedRun): (vertex: PlanVertex) => boolean {
  const { outputType = 'chat', outputComponent } = run.options
  if (outputComponent !== undefined && outputComponent !== '') {
    const exact = run.graph.indexOf.has(outputComponent)
    return (vertex) =>
      exact ? vertex.id === outputComponent : vertex.displayName === outputComponent
  }
  if (outputType === 'debug') return () => true
  const outputs = run.graph.vertices.filter((vertex) => vertex.role === 'output')
  const fits = (vertex: PlanVertex): boolean =>
    outputType === 'any' || vertex.id.toLowerCase().includes(outputType)
  const some = outputs.some(fits)
  return (vertex) => vertex.role === 'output' && (!some || fits(vertex))
}
