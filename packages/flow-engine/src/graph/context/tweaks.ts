import { isObject, own, ownObject, ownText, type PlainObject } from '@x/wire'
import { invalidRequest } from '../../errors.ts'
import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { warning, type FlowProblem } from '../flow/problems.ts'
import { readModelJson } from '../values/read-model-json.ts'
import type { RunInput, Tweaks } from './run-options.ts'

/** `load_from_db` of a field whose value was set by a tweak. A symbol, so that no flow can contain it. */
export const VARIABLE_OR_TEXT = Symbol('the name of a variable, if there is one')

/** Fields that differ from the template in this run, by vertex; the plan itself is not changed. */
export interface AppliedTweaks {
  readonly fields: ReadonlyMap<number, ReadonlyMap<string, PlainObject>>
  readonly warnings: readonly FlowProblem[]
}

/** Maximum number of tweaks in one run; every field of a node counts as one. */
const MAX_TWEAKS = 10_000

/** Warnings of one run about its tweaks, and characters of a name that they show. */
const MAX_WARNINGS = 100
const MAX_SHOWN = 100

const short = (name: string): string => name.slice(0, MAX_SHOWN)

const NONE: AppliedTweaks = { fields: new Map(), warnings: [] }

/**
 * Applies node entries (by id, else to the last node with that display name) in key order, then entries
 * that name a field of all nodes. Linear in the number of tweaks and fields.
 * @throws FlowError `invalid_request` for more than 10,000 tweaks
 */
export function applyTweaks(graph: PlanGraph, tweaks: Tweaks | undefined): AppliedTweaks {
  if (tweaks === undefined || Object.keys(tweaks).length === 0) return NONE
  checkCount(tweaks)
  const fields = new Map<number, Map<string, PlainObject>>()
  const warnings: FlowProblem[] = []
  const unmatched = (message: string, place: { nodeId?: string; field?: string }): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push(warning('unmatched_tweak', message, place))
  }
  const apply = (vertex: PlanVertex, given: string, value: unknown): void => {
    const name = vertex.renamed?.get(given) ?? given
    const known = fields.get(vertex.index)
    const before = known?.get(name) ?? templateField(vertex, name)
    if (before === undefined) {
      const text = `A tweak was ignored: ${vertex.displayName} has no field ${short(name)}`
      return unmatched(text, { nodeId: vertex.id, field: short(name) })
    }
    if (name === 'code') {
      const text = `The code of ${vertex.displayName} cannot be tweaked`
      warnings.push(warning('code_tweak', text, { nodeId: vertex.id, field: name }))
      return
    }
    const changed = known ?? new Map<string, PlainObject>()
    changed.set(name, tweakField(before, value))
    fields.set(vertex.index, changed)
  }
  const byName = new Map(graph.vertices.map((vertex) => [vertex.displayName, vertex]))
  for (const [key, entry] of Object.entries(tweaks)) {
    if (!isObject(entry)) continue
    const vertex = vertexOf(graph, key) ?? byName.get(key)
    if (vertex === undefined) {
      unmatched(`A tweak was ignored: no node has the id or name ${short(key)}`, {})
      continue
    }
    for (const [name, value] of Object.entries(entry)) apply(vertex, name, value)
  }
  const found = new Set<string>()
  for (const vertex of graph.vertices) {
    const names = new Set([
      ...Object.keys(vertex.template),
      ...Object.keys(vertex.component.inputs),
      ...(vertex.renamed?.keys() ?? []),
    ])
    for (const name of names) {
      if (!Object.hasOwn(tweaks, name)) continue
      const value = own(tweaks, name)
      if (isObject(value)) continue
      found.add(name)
      apply(vertex, name, value)
    }
  }
  for (const [name, value] of Object.entries(tweaks)) {
    if (isObject(value) || found.has(name)) continue
    unmatched(`A tweak was ignored: no node has a field ${short(name)}`, { field: short(name) })
  }
  return { fields, warnings }
}

/** The input may not be given both directly and as a tweak of the input component. */
export function refuseInputTweak(tweaks: Tweaks | undefined, type: RunInput['type']): void {
  const names = type === 'chat' ? ['ChatInput', 'Chat Input'] : ['TextInput', 'Text Input']
  if (type !== 'chat' && type !== 'text') return
  checkCount(tweaks ?? {})
  const clash = Object.entries(tweaks ?? {}).some(
    ([key, entry]) =>
      isObject(entry) &&
      Object.hasOwn(entry, 'input_value') &&
      names.some((name) => key.includes(name)),
  )
  if (clash) {
    throw invalidRequest(
      `If you pass an input_value to the ${type} input, you cannot pass a tweak with the same name.`,
    )
  }
}

function checkCount(tweaks: Tweaks): void {
  const entries = Object.keys(tweaks)
  let count = entries.length
  for (const key of count > MAX_TWEAKS ? [] : entries) {
    const entry = own(tweaks, key)
    if (isObject(entry)) count += Object.keys(entry).length
  }
  if (count > MAX_TWEAKS) throw invalidRequest(`A run takes at most ${MAX_TWEAKS} tweaks`)
}

function vertexOf(graph: PlanGraph, id: string): PlanVertex | undefined {
  const index = graph.indexOf.get(id)
  return index === undefined ? undefined : graph.vertices[index]
}

/** The template field, or an empty one for a declared input missing from the template. */
function templateField(vertex: PlanVertex, name: string): PlainObject | undefined {
  const field = ownObject(vertex.template, name)
  if (field !== undefined) {
    return vertex.overrides.has(name) ? { ...field, value: vertex.overrides.get(name) } : field
  }
  return Object.hasOwn(vertex.component.inputs, name) ? {} : undefined
}

function tweakField(field: PlainObject, value: unknown): PlainObject {
  const type = ownText(field, 'type')
  if (type === 'NestedDict') {
    return { ...field, value: typeof value === 'string' ? jsonOrText(value) : value }
  }
  if (!isObject(value)) {
    if (type === 'file') return { ...field, file_path: value }
    return withText({ ...field, value })
  }
  if (type !== 'file') {
    const changed = { ...field, ...value }
    return Object.hasOwn(value, 'load_from_db') ? changed : withText(changed)
  }
  const keys = Object.keys(value)
  return keys.length === 0 ? field : { ...field, file_path: own(value, keys.at(-1) ?? '') }
}

function jsonOrText(text: string): unknown {
  try {
    return readModelJson(text)
  } catch {
    return text
  }
}

/** Callers put API keys into tweaks, so the value names a variable only if that variable exists. */
function withText(field: PlainObject): PlainObject {
  const names = own(field, 'load_from_db') === true && typeof own(field, 'value') === 'string'
  return names ? { ...field, load_from_db: VARIABLE_OR_TEXT } : field
}
