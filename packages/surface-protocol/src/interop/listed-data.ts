import { DataModel } from '../data/data-model.ts'
import { diffDataV09, type DataDifference } from '../data/diff-data-v09.ts'
import { formatDataPath, readDataPath, type DataPath } from '../data/data-path.ts'
import {
  fromJson,
  isContainer,
  mapToJson,
  member,
  toJson,
  valueAt,
  type DataMap,
  type DataValue,
} from '../data/data-value.ts'
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { DataEntry } from '../message/v08/data-entry.ts'
import type { ComponentV09 } from './component-to-v09.ts'

/** A template: the path that a component's children repeat over. */
interface Template {
  readonly child: string
  readonly path: DataPath
}

/**
 * The data of a surface of version 0.8 as version 0.9 needs them: a map that a template iterates is a list there, in
 * the order of its entries.
 */
export class ListedData {
  readonly #model = new DataModel()
  readonly #templates = new Map<string, Template>()
  readonly #children = new Map<string, readonly string[]>()
  #sent: JsonObject = {}

  /** True once a template was seen; before that, data need no conversion. */
  get isNeeded(): boolean {
    return this.#templates.size > 0
  }

  /** Notes the templates and children of a component, as converted to version 0.9. */
  define(component: ComponentV09, references: readonly string[]): void {
    const { id, children } = component
    this.#children.set(id, references)
    this.#templates.delete(id)
    if (!isPlainObject(children) || typeof children.path !== 'string') return
    const path = readDataPath(children.path)
    if (path === null || typeof children.componentId !== 'string') return
    // So far the client has the data as they are.
    if (this.#templates.size === 0) this.#sent = mapToJson(this.#model.root)
    this.#templates.set(id, { child: children.componentId, path })
  }

  /** Writes entries at a location. */
  write(segments: readonly string[], contents: readonly DataEntry[]): void {
    const map = mapOf(contents)
    if (segments.length === 0) this.#model.replace(map)
    else for (const [key, value] of map) this.#put([...segments, key], value)
    if (segments.length > 0 && map.size === 0) this.#model.reach(segments)
    this.#model.commit()
  }

  /** Writes one value. */
  set(segments: readonly string[], value: JsonValue): void {
    if (segments.length > 0) this.#put(segments, fromJson(value))
    this.#model.commit()
  }

  #put(segments: readonly string[], value: DataValue): void {
    const parent = segments.slice(0, -1)
    const container = this.#model.reach(parent)
    const key = segments.at(-1) ?? ''
    if (container !== null) this.#model.write(container, { parent, key, value })
  }

  /** Size of the data. */
  get size(): number {
    return this.#model.size
  }

  /** What has changed for the client since the last call. */
  differences(): DataDifference[] {
    const before = this.#sent
    this.#sent = toListed(this.#model.root, [], this.lists()) as JsonObject
    return diffDataV09(before, this.#sent)
  }

  /** An absolute path as it reads at the client; null if it leads to an entry that is not there. */
  rewrite(text: string, listed: ReadonlySet<string>): string | null {
    const path = readDataPath(text)
    if (path === null || !path.absolute || listed.size === 0) return text
    const place: string[] = []
    const segments: string[] = []
    let value: DataValue | undefined = this.#model.root
    for (const segment of path.segments) {
      if (listed.has(formatDataPath(place)) && value instanceof Map) {
        const index = [...value.keys()].indexOf(segment)
        if (index === -1) return null
        segments.push(String(index))
      } else segments.push(segment)
      place.push(segment)
      value = isContainer(value) ? member(value, segment) : undefined
    }
    return formatDataPath(segments)
  }

  /** The locations of all maps that a template iterates. */
  lists(): ReadonlySet<string> {
    const found = new Set<string>()
    const seen = new Set<string>()
    const visit = (id: string, scope: readonly string[]): void => {
      const key = `${id} ${formatDataPath(scope)}`
      if (seen.has(key)) return
      seen.add(key)
      const template = this.#templates.get(id)
      if (template === undefined) {
        for (const child of this.#children.get(id) ?? []) visit(child, scope)
        return
      }
      const { child, path } = template
      const location = path.absolute ? path.segments : [...scope, ...path.segments]
      const value = valueAt(this.#model.root, location)
      if (!(value instanceof Map)) return
      found.add(formatDataPath(location))
      if (!this.#holdsTemplates(child)) return
      for (const entry of value.keys()) visit(child, [...location, entry])
    }
    if (this.#templates.size > 0) visit('root', [])
    return found
  }

  /** Returns whether a component or one below it has a template. */
  #holdsTemplates(id: string, seen = new Set<string>()): boolean {
    if (seen.has(id)) return false
    seen.add(id)
    if (this.#templates.has(id)) return true
    return (this.#children.get(id) ?? []).some((child) => this.#holdsTemplates(child, seen))
  }
}

function toListed(
  value: DataValue,
  place: readonly string[],
  listed: ReadonlySet<string>,
): JsonValue {
  if (listed.size === 0 || !(value instanceof Map)) return toJson(value)
  const convert = (key: string, item: DataValue) => toListed(item, [...place, key], listed)
  if (place.length > 0 && listed.has(formatDataPath(place))) {
    return [...value].map(([key, item]) => convert(key, item))
  }
  const object: JsonObject = {}
  for (const [key, item] of value) setOwn(object, key, convert(key, item))
  return object
}

function mapOf(entries: readonly DataEntry[]): DataMap {
  const map: DataMap = new Map()
  for (const { key, ...value } of entries) {
    const { valueMap } = value as { valueMap?: DataEntry[] }
    const [scalar] = Object.values(value) as (string | number | boolean)[]
    map.set(key, valueMap === undefined ? (scalar ?? null) : mapOf(valueMap))
  }
  return map
}
