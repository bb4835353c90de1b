import {
  formatHandle,
  type FieldLayout,
  type FlowEdge,
  type FlowLayout,
  type LayoutPatch,
  type NodeLayout,
} from '@x/flow-engine'
import { edgeEnds, edgeKey, outputNames, readHandle } from '@x/flow-engine/internal'
import { isObject, own, ownObject } from '@x/wire'

type Json = Readonly<Record<string, unknown>>

/** Values that a source gives, so that a layout must not replace others. */
const VALUES = ['value', 'load_from_db', 'file_path', 'show', 'type'] as const
/** Shorter texts are not worth a reference. */
const SHARED = 60

/**
 * What a flow has beyond the one that its source gives, both in canonical form.
 * @param nodes of the flow, in the order of the source, undefined for what the source gives whole
 */
export function makeLayout(
  built: {
    readonly nodes: readonly unknown[]
    readonly edges: readonly unknown[]
    readonly facts: Json
    readonly graph: Json
  },
  flow: {
    readonly nodes: readonly (Json | undefined)[]
    readonly edges: readonly unknown[]
    readonly facts: Json
    readonly graph: Json
    readonly isBare: boolean
    readonly notes: readonly { readonly at: number; readonly node: unknown }[]
  },
): FlowLayout {
  const nodes = flow.nodes.flatMap((node, index) => {
    const before = built.nodes[index]
    if (node === undefined || !isObject(before)) return []
    return [[String(own(node, 'id')), nodeLayout(before, node)] as const]
  })
  const facts = patchOf(built.facts, flow.facts)
  const graph = patchOf(built.graph, flow.graph)
  const edges = edgeLayouts(built.edges, flow.edges)
  return shareTexts({
    version: 1,
    ...(flow.isBare ? { bare: true } : {}),
    ...(facts === undefined ? {} : { flow: facts }),
    ...(graph === undefined ? {} : { graph }),
    nodes: Object.fromEntries(nodes),
    ...(Object.keys(edges).length === 0 ? {} : { edges }),
    ...(flow.notes.length === 0 ? {} : { notes: flow.notes }),
  })
}

/** The change that makes one object the other; undefined if there is none. */
function patchOf(from: Json, to: Json, without: readonly string[] = []): LayoutPatch | undefined {
  const set = Object.entries(to).filter(
    ([key, value]) => !without.includes(key) && !isEqual(own(from, key), value),
  )
  const unset = Object.keys(from).filter((key) => !without.includes(key) && !Object.hasOwn(to, key))
  if (set.length === 0 && unset.length === 0) return undefined
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(unset.length === 0 ? {} : { unset }),
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function nodeLayout(from: Json, to: Json): NodeLayout {
  const [fromData, toData] = [ownObject(from, 'data') ?? {}, ownObject(to, 'data') ?? {}]
  const [fromDetails, toDetails] = [
    ownObject(fromData, 'node') ?? {},
    ownObject(toData, 'node') ?? {},
  ]
  const position = own(to, 'position')
  const node = patchOf(from, to, position === undefined ? ['data'] : ['data', 'position'])
  const data = patchOf(fromData, toData, ['node'])
  const details = patchOf(fromDetails, toDetails, ['template', 'outputs'])
  const outputs = outputsLayout(own(fromDetails, 'outputs'), own(toDetails, 'outputs'))
  return {
    ...(position === undefined ? {} : { position }),
    ...(node === undefined ? {} : { node }),
    ...(data === undefined ? {} : { data }),
    ...(details === undefined ? {} : { details }),
    ...templateLayout(
      ownObject(fromDetails, 'template') ?? {},
      ownObject(toDetails, 'template') ?? {},
    ),
    ...(outputs === undefined ? {} : { outputs }),
  }
}

function outputsLayout(from: unknown, to: unknown): NodeLayout['outputs'] {
  if (isEqual(from, to)) return undefined
  return { was: outputNames(from) as string[], ...(to === undefined ? {} : { now: to }) }
}

function templateLayout(from: Json, to: Json): Pick<NodeLayout, 'fields' | 'absent' | 'order'> {
  const fields = Object.entries(to).flatMap(([name, field]): [string, FieldLayout][] => {
    const before = own(from, name)
    if (!Object.hasOwn(from, name)) return [[name, addedField(field)]]
    if (!isObject(field) || !isObject(before))
      return isEqual(field, before) ? [] : [[name, addedField(field)]]
    const patch = patchOf(before, field)
    if (patch === undefined) return []
    const keys = VALUES.filter((key) => patch.set !== undefined && Object.hasOwn(patch.set, key))
    const was = Object.fromEntries(
      keys.filter((key) => Object.hasOwn(before, key)).map((key) => [key, before[key]]),
    )
    return [[name, { ...patch, ...(Object.keys(was).length === 0 ? {} : { was }) }]]
  })
  const absent = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  const kept = Object.keys(from).filter((name) => Object.hasOwn(to, name))
  const added = Object.keys(to).filter((name) => !Object.hasOwn(from, name))
  const isOrdered = isEqual([...kept, ...added], Object.keys(to))
  return {
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
    ...(absent.length === 0 ? {} : { absent }),
    ...(isOrdered ? {} : { order: Object.keys(to) }),
  }
}

/** An entry of the file alone, which may be no object. */
const addedField = (field: unknown): FieldLayout => ({ add: true, set: field as Json })

function edgeLayouts(
  from: readonly unknown[],
  to: readonly unknown[],
): NonNullable<FlowLayout['edges']> {
  const count = new Map<string, number>()
  const entries = from.flatMap((before, index) => {
    const edge = to[index]
    if (!isObject(before) || !isObject(edge)) return []
    const text = edgeKey(before as FlowEdge)
    const seen = count.get(text) ?? 0
    count.set(text, seen + 1)
    const data = ownObject(edge, 'data') ?? {}
    // Texts that follow from the handles, and an id that follows from the ends.
    const implied = ['sourceHandle', 'targetHandle'].filter((key) => {
      const handle = readHandle(own(data, key))
      return handle !== undefined && formatHandle(handle) === own(edge, key)
    })
    const id = own(edge, 'id')
    const ends = edgeEnds(edge)
    const prefix =
      typeof id === 'string' && id.endsWith(ends) ? id.slice(0, -ends.length) : undefined
    const isSameId = id === own(before, 'id')
    const skipped = isSameId || prefix === undefined ? implied : [...implied, 'id']
    const patch = patchOf(before, edge, skipped)
    const hasPrefix = !isSameId && prefix !== undefined
    const isTextChanged = implied.some((key) => own(before, key) !== own(edge, key))
    if (patch === undefined && !hasPrefix && !isTextChanged) return []
    const key = seen === 0 ? text : `${text} #${seen + 1}`
    return [[key, { ...patch, ...(hasPrefix ? { prefix } : {}) }] as const]
  })
  return Object.fromEntries(entries)
}

/** Texts that occur several times are written once. */
function shareTexts(layout: FlowLayout): FlowLayout {
  const counts = new Map<string, number>()
  visit(layout, (text) => counts.set(text, (counts.get(text) ?? 0) + 1))
  const texts = [...counts].filter(([, count]) => count > 1).map(([text]) => text)
  const indexOf = new Map(texts.map((text, index) => [text, index]))
  const shared = replaced(layout, indexOf) as FlowLayout
  return texts.length === 0 ? shared : { ...shared, texts }
}

function visit(value: unknown, see: (text: string) => void): void {
  if (typeof value === 'string') {
    if (value.length >= SHARED) see(value)
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) visit(item, see)
}

function replaced(value: unknown, indexOf: ReadonlyMap<string, number>): unknown {
  if (typeof value === 'string') {
    const index = indexOf.get(value)
    return index === undefined ? value : { $: index }
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, indexOf))
  if (typeof value !== 'object' || value === null) return value
  if (Object.hasOwn(value, '$')) return { $: [value] }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaced(item, indexOf)]),
  )
}
