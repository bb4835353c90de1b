import { catalogCore, type Catalog } from '../../catalog/catalog.ts'
import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import { familyOf } from '../../data/version.ts'
import { formatPointer, isPlainObject } from '../../json.ts'
import type { DecompileOptions } from '../inference-format.ts'
import { ComponentNames } from './component-names.ts'
import { memberOf, signatureOf, tableOf } from './signature.ts'
import { isBound, isChoice, itemOf, objectOf, takesText } from './slots.ts'
import { targetVersion } from './target-version.ts'
import { keyText, literalText, NAME, text, wrap } from './write-literal.ts'

const PATH = /^(?:\/(?:[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)?|[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)$/
const KEPT = new Set(['surfaceId', 'catalogId', 'sendDataModel', 'components', 'dataModel'])

/** The program that compiles to messages of equal effect. Deterministic. */
export function decompileExpress(messages: readonly object[], options: DecompileOptions): string {
  const version = targetVersion(options.version)
  return new Decompiler(options, familyOf(version) === '1.0').write(messages)
}

class Decompiler {
  readonly #options: DecompileOptions
  readonly #isTagged: boolean
  readonly #lines: string[] = []
  /** The surface whose statements are written, and whether it was created here. */
  #surface: { id: string; isNew: boolean } | null = null
  #names = new ComponentNames()

  constructor(options: DecompileOptions, isTagged: boolean) {
    this.#options = options
    this.#isTagged = isTagged
  }

  write(messages: readonly object[]): string {
    const list = messages.filter(isPlainObject)
    for (const [index, message] of list.entries()) {
      for (const [kind, payload] of Object.entries(message)) {
        if (kind === 'version' || !isPlainObject(payload)) continue
        this.#message(kind, payload, index)
      }
    }
    return this.#lines.join('\n')
  }

  #message(kind: string, payload: Record<string, unknown>, index: number): void {
    const id = typeof payload.surfaceId === 'string' ? payload.surfaceId : ''
    const lose = (name: string): void => this.#options.onLoss?.(formatPointer([index, kind, name]))
    if (kind === 'deleteSurface') {
      this.#lines.push(`deleteSurface(${text(id)})`)
      this.#surface = null
      return
    }
    if (kind === 'callRendererFunction') {
      this.#call(payload)
      return
    }
    if (kind === 'createSurface') {
      for (const name of Object.keys(payload)) if (!KEPT.has(name)) lose(name)
      this.#open(id, {
        isNew: true,
        sendDataModel: payload.sendDataModel,
      })
    } else if (kind !== 'updateComponents' && kind !== 'updateDataModel') {
      this.#options.onLoss?.(formatPointer([index, kind]))
      return
    } else if (this.#surface?.id !== id) this.#open(id, { isNew: false })
    if (kind === 'updateDataModel') {
      if (Object.hasOwn(payload, 'value'))
        this.#data(
          typeof payload.path === 'string' && payload.path !== '' ? payload.path : '/',
          payload.value,
        )
      else lose('value')
      return
    }
    if (isPlainObject(payload.dataModel)) this.#data('/', payload.dataModel)
    if (Array.isArray(payload.components)) {
      this.#components(payload.components.filter(isPlainObject), formatPointer([index, kind]))
    }
  }

  #open(id: string, given: { isNew: boolean; sendDataModel?: unknown }): void {
    const flags =
      typeof given.sendDataModel === 'boolean'
        ? `, sendDataModel=${String(given.sendDataModel)}`
        : ''
    const isMain = id === 'main' && flags === '' && given.isNew && this.#lines.length === 0
    this.#surface = { id, isNew: given.isNew }
    this.#names = new ComponentNames()
    const update = given.isNew ? '' : ', update=true'
    if (!isMain) this.#lines.push(`surface(${text(id)}${flags}${update})`)
  }

  #call(payload: Record<string, unknown>): void {
    const { functionCallId, callFunction } = payload
    if (!isPlainObject(callFunction)) return
    const written = this.#value(callFunction, null)
    const id = typeof functionCallId === 'string' ? `functionCallId=${text(functionCallId)}` : ''
    const open = written.endsWith('()') ? written.slice(0, -1) : `${written.slice(0, -1)}, `
    this.#lines.push(id === '' ? written : `${open}${id})`)
    this.#surface = null
  }

  /** One assignment for each leaf whose path can be written; the others in maps above them. */
  #data(path: string, value: unknown): void {
    if (!this.#isOneByOne(path, value)) {
      const wrapped = PATH.test(path) ? null : wrap(path, value)
      this.#lines.push(
        wrapped === null
          ? `$${path} = ${literalText(value)}`
          : `$${wrapped.path} = ${literalText(wrapped.value)}`,
      )
      return
    }
    for (const [key, inner] of Object.entries(value as object)) {
      this.#data(path === '/' ? `/${key}` : `${path}/${key}`, inner)
    }
  }

  #isOneByOne(path: string, value: unknown): boolean {
    if (this.#surface?.isNew !== true || !isPlainObject(value) || !PATH.test(path)) return false
    const keys = Object.keys(value)
    return keys.length > 0 && keys.every((key) => /^[A-Za-z0-9_]+$/.test(key))
  }

  #components(list: readonly Record<string, unknown>[], at: string): void {
    const byId = new Map(list.map((one) => [String(one.id), one]))
    for (const { id } of list) this.#names.of(String(id))
    const order = new Set<string>(byId.has('root') ? ['root'] : [])
    // Sets are walked in the order of insertion, so what is added is visited too.
    for (const id of order) {
      for (const found of idsIn(byId.get(id), byId)) order.add(found)
    }
    for (const id of byId.keys()) order.add(id)
    for (const id of order) {
      const component = byId.get(id)
      if (component !== undefined)
        this.#component(component, `${at}/components/${list.indexOf(component)}`)
    }
  }

  #component(component: Record<string, unknown>, at: string): void {
    const { id, component: type, ...properties } = component
    const name = this.#names.of(String(id))
    const catalog = this.#catalogOf(String(type))
    const table = catalog === undefined ? undefined : tableOf(catalog, String(type))
    if (table === undefined) {
      this.#options.onLoss?.(at)
      return
    }
    const extra: string[] = name === id ? [] : [`id=${text(String(id))}`]
    if (typeof properties.catalogId === 'string') {
      extra.push(`catalogId=${text(properties.catalogId)}`)
    }
    const given: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(properties)) {
      if (key === 'catalogId') continue
      if (Object.hasOwn(table.fields, key) || table.open === true) given[key] = value
      else this.#options.onLoss?.(`${at}${formatPointer([key])}`)
    }
    this.#lines.push(`${name} = ${String(type)}(${this.#arguments(given, table, extra)})`)
  }

  /** Positional arguments as long as gaps are short, keywords after them. */
  #arguments(given: Record<string, unknown>, table: ObjectTable, extra: readonly string[]): string {
    const names = signatureOf(table)
    const own = isBound(given.value, this.#isTagged) ? given.value : undefined
    const written = new Map<string, string>()
    for (const [key, value] of Object.entries(given)) {
      if (value === undefined) continue
      const slot = memberOf(table.fields, key)
      written.set(
        key,
        slot === 'checks' ? this.#checks(value, own) : this.#value(value, slot ?? null),
      )
    }
    const parts: string[] = []
    let gap = 0
    for (const name of names) {
      const value = written.get(name)
      if (value === undefined) {
        gap += 1
        continue
      }
      if (gap > 1 || (gap === 1 && value.length + 2 < 0)) break
      if (gap === 1) parts.push('_')
      gap = 0
      parts.push(value)
      written.delete(name)
    }
    for (const [name, value] of written) {
      if (NAME.test(name)) parts.push(`${name}=${value}`)
    }
    return [...parts, ...extra].join(', ')
  }

  #checks(value: unknown, own: unknown): string {
    if (!Array.isArray(value)) return literalText(value)
    const list = value.map((check: unknown) => this.#check(check, own))
    return list.length === 1 && list[0]?.startsWith('?') === true ? list[0] : `[${list.join(', ')}]`
  }

  #check(check: unknown, own: unknown): string {
    const { condition, message } = isPlainObject(check) ? check : {}
    const key = this.#isTagged ? '@call' : 'call'
    const called = isPlainObject(condition) ? condition[key] : undefined
    const table = typeof called === 'string' ? this.#functionOf(called) : undefined
    const args = isPlainObject(condition) ? condition.args : undefined
    const isWhole =
      isPlainObject(condition) &&
      Object.keys(condition).every((name) => [key, 'args', 'returnType'].includes(name))
    if (
      table === undefined ||
      typeof called !== 'string' ||
      !isPlainObject(args) ||
      !isWhole ||
      typeof message !== 'string'
    ) {
      return this.#map(check, null)
    }
    const isOwn = own !== undefined && JSON.stringify(args.value) === JSON.stringify(own)
    const isGiven = isBound(args.value, this.#isTagged) || isCallValue(args.value, this.#isTagged)
    const names = signatureOf(table)
    if (names[0] === 'value' && !isOwn && !isGiven && own !== undefined)
      return this.#map(check, null)
    const shown: ObjectTable =
      isOwn && names[0] === 'value'
        ? {
            ...table,
            fields: Object.fromEntries(
              Object.entries(table.fields).filter(([name]) => name !== 'value'),
            ),
          }
        : table
    const { value: _, ...others } = args
    const rest = isOwn && names[0] === 'value' ? others : args
    const order = signatureOf(shown)
    const parts: string[] = []
    const filled = order.filter((name) => Object.hasOwn(rest, name))
    // A message stands behind all parameters, or where no text can stand.
    const isPlain =
      filled.every((name, at) => order[at] === name) &&
      Object.keys(rest).every((name) => order.includes(name))
    if (!isPlain) return this.#map(check, null)
    for (const name of filled)
      parts.push(this.#value(rest[name], memberOf(shown.fields, name) ?? null))
    const next = memberOf(shown.fields, order[filled.length] ?? '')
    if (next !== undefined && takesText(next)) return this.#map(check, null)
    return `?${called}(${[...parts, text(message)].join(', ')})`
  }

  /** A value; `slot` says what stands there. */
  #value(value: unknown, slot: SlotTable | null): string {
    if (typeof value === 'string') return slot === 'id' ? this.#names.reference(value) : text(value)
    if (Array.isArray(value)) {
      const inner = slot === 'children' ? 'id' : itemOf(slot)
      return `[${value.map((item: unknown) => this.#item(item, inner)).join(', ')}]`
    }
    if (!isPlainObject(value)) return literalText(value)
    if (slot === 'children') {
      const { path, componentId } = value
      if (typeof path === 'string' && PATH.test(path) && typeof componentId === 'string') {
        return `_template($${path}, ${this.#names.reference(componentId)})`
      }
      return this.#map(value, null)
    }
    return this.#computed(value, slot) ?? this.#map(value, slot)
  }

  #item(item: unknown, slot: SlotTable | null): string {
    if (isPlainObject(item) && isChoice(slot) && Object.keys(item).length === 2) {
      if (typeof item.label === 'string' && item.label === item.value) return text(item.label)
    }
    return this.#value(item, slot)
  }

  /** A path, a call or an action; null for other maps. */
  #computed(value: Record<string, unknown>, slot: SlotTable | null): string | null {
    const keys = Object.keys(value)
    const path = this.#isTagged ? value['@path'] : value.path
    if (keys.length === 1 && typeof path === 'string') {
      return PATH.test(path) || path === '' ? `$${path}` : null
    }
    if (slot === 'action' && keys.length === 1) {
      if (isPlainObject(value.functionCall)) return this.#function(value.functionCall)
      const { event } = value
      if (!isPlainObject(event) || typeof event.name !== 'string') return null
      const { name, context, ...others } = event
      if (Object.keys(others).length > 0) return null
      return context === undefined
        ? `Event(${text(name)})`
        : `Event(${text(name)}, ${this.#value(context, null)})`
    }
    return this.#function(value)
  }

  #function(value: Record<string, unknown>): string | null {
    const key = this.#isTagged ? '@call' : 'call'
    const name = value[key]
    const args = value.args ?? {}
    if (typeof name !== 'string' || !isPlainObject(args)) return null
    const others = Object.keys(value).filter(
      (one) => ![key, 'args', 'returnType', 'catalogId'].includes(one),
    )
    const table = this.#functionOf(name)
    if (others.length > 0 || table === undefined || !NAME.test(name)) return null
    const isElsewhere = typeof value.catalogId === 'string' && this.#options.catalogs.length > 1
    const extra = isElsewhere ? [`catalogId=${text(String(value.catalogId))}`] : []
    return `${name}(${this.#arguments(args, table, extra)})`
  }

  #map(value: unknown, slot: SlotTable | null): string {
    if (!isPlainObject(value)) return literalText(value)
    const table = objectOf(slot)
    const members = Object.entries(value).map(([key, inner]) => {
      const own = table === null ? null : (memberOf(table.fields, key) ?? null)
      return `${keyText(key)}: ${this.#value(inner, own)}`
    })
    return `{${members.join(', ')}}`
  }

  #catalogOf(type: string): Catalog | undefined {
    return this.#options.catalogs.find((one) => tableOf(one, type) !== undefined)
  }

  #functionOf(name: string): ObjectTable | undefined {
    for (const catalog of this.#options.catalogs) {
      const found = memberOf(catalogCore(catalog).v09?.table.functions ?? {}, name)
      if (found !== undefined) return found.args
    }
    return undefined
  }
}

/** The ids of known components within a value, in order. */
function idsIn(value: unknown, known: ReadonlyMap<string, unknown>): string[] {
  if (typeof value === 'string') return known.has(value) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => idsIn(one, known))
  if (!isPlainObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'id' || key === 'component' || key === 'text' ? [] : idsIn(one, known),
  )
}

function isCallValue(value: unknown, isTagged: boolean): boolean {
  return isPlainObject(value) && typeof (isTagged ? value['@call'] : value.call) === 'string'
}
