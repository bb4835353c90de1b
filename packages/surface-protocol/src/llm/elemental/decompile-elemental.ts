import { catalogCore } from '../../catalog/catalog.ts'
import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import { familyOf } from '../../data/version.ts'
import { formatPointer, isPlainObject } from '../../json.ts'
import { tableOf } from '../express/signature.ts'
import { targetVersion } from '../express/target-version.ts'
import type { DecompileOptions } from '../inference-format.ts'
import { braces, canBeCalled, quoted, type ValueForm } from './write-attribute.ts'
import { childProperty, kebab, takesMany } from './element.ts'

type Component = Readonly<Record<string, unknown>>

const KEPT = new Set(['surfaceId', 'catalogId', 'sendDataModel', 'components', 'dataModel'])

/** The document that compiles to messages of equal effect. Deterministic. */
export function decompileElemental(messages: readonly object[], options: DecompileOptions): string {
  const isTagged = familyOf(targetVersion(options.version)) === '1.0'
  return new Decompiler(options, isTagged).write(messages)
}

class Decompiler {
  readonly #options: DecompileOptions
  readonly #form: ValueForm
  readonly #lines: string[] = []
  #open = ''

  constructor(options: DecompileOptions, isTagged: boolean) {
    this.#options = options
    const isFunction = (name: string): boolean =>
      options.catalogs.some((one) => {
        const { functions = {} } = catalogCore(one).v09?.table ?? {}
        return Object.hasOwn(functions, name)
      })
    this.#form = { isTagged, isFunction }
  }

  write(messages: readonly object[]): string {
    for (const [index, message] of messages.entries()) {
      for (const [kind, payload] of Object.entries(message) as [string, unknown][]) {
        if (kind !== 'version' && isPlainObject(payload)) this.#message(kind, payload, index)
      }
    }
    this.#body('')
    return this.#lines.join('\n')
  }

  #lose(...path: (string | number)[]): void {
    this.#options.onLoss?.(formatPointer(path))
  }

  #message(kind: string, payload: Record<string, unknown>, index: number): void {
    const id = typeof payload.surfaceId === 'string' ? payload.surfaceId : ''
    if (kind === 'deleteSurface') {
      this.#body('')
      this.#lines.push(`<ui-delete-surface surface-id=${quoted(id)} />`)
      return
    }
    if (kind === 'createSurface') {
      for (const name of Object.keys(payload)) if (!KEPT.has(name)) this.#lose(index, kind, name)
      const { sendDataModel } = payload
      const flag =
        typeof sendDataModel === 'boolean' ? ` send-data-model="${String(sendDataModel)}"` : ''
      this.#body('')
      this.#body(`<body id=${quoted(id)}${flag}>`, id)
    } else if (kind === 'updateComponents' || kind === 'updateDataModel') {
      if (this.#open !== id) this.#body(`<body id=${quoted(id)} update>`, id)
    } else {
      this.#lose(index, kind)
      return
    }
    if (kind === 'updateDataModel') {
      const { path = '/', value } = payload
      if (value === undefined) this.#lose(index, kind, 'value')
      else this.#data(String(path) === '' ? '/' : String(path), value)
      return
    }
    if (isPlainObject(payload.dataModel)) this.#data('/', payload.dataModel)
    const { components } = payload
    if (Array.isArray(components)) {
      this.#components(components.filter(isPlainObject), [index, kind, 'components'])
    }
  }

  /** Ends the surface that is written, and begins another; `""` begins none. */
  #body(line: string, id = ''): void {
    if (this.#open !== '') this.#lines.push('</body>')
    if (line !== '') this.#lines.push(line)
    this.#open = id
  }

  #data(path: string, value: unknown): void {
    const at = path === '/' ? '' : ` path=${quoted(path)}`
    this.#lines.push(`  <script type="application/json"${at}>${jsonText(value)}</script>`)
  }

  #components(list: readonly Component[], at: (string | number)[]): void {
    const byId = new Map(list.map((one) => [String(one.id), one]))
    const written = new Set<string>()
    const write = (id: string, indent: string, slot: string): void => {
      const component = byId.get(id)
      if (component === undefined) return
      written.add(id)
      this.#component(component, {
        indent,
        slot,
        at: [...at, list.indexOf(component)],
        mayNest: (child) => byId.has(child) && !written.has(child),
        nest: (child, inner) => write(child, `${indent}  `, inner),
      })
    }
    // Those that another one holds are written there, unless they hold each other.
    const held = new Set(list.flatMap((one) => [...this.#heldBy(one)]))
    const first = byId.has('root') ? ['root'] : []
    for (const id of [...first, ...byId.keys()]) {
      if (!written.has(id) && (id === 'root' || !held.has(id))) write(id, '  ', '')
    }
    for (const id of byId.keys()) if (!written.has(id)) write(id, '  ', '')
  }

  *#heldBy(component: Component): Iterable<string> {
    const table = this.#tableOf(component)
    if (table === undefined) return
    for (const [name, value] of Object.entries(component)) {
      yield* idsIn(value, table.fields[name])
    }
  }

  #component(component: Component, place: Place): void {
    const { indent, at, mayNest } = place
    const table = this.#tableOf(component)
    if (table === undefined) {
      this.#lose(...at)
      return
    }
    const { id, component: type, ...properties } = component
    const attributes = [`id=${quoted(String(id))}`]
    if (place.slot !== '') attributes.push(`slot=${quoted(place.slot)}`)
    const scripts: string[] = []
    const nested: (() => void)[] = []
    const own = childProperty(table)
    for (const [name, value] of Object.entries(properties)) {
      const slot = Object.hasOwn(table.fields, name) ? table.fields[name] : undefined
      const ids = [...idsIn(value, slot)]
      const isList = Array.isArray(value) && takesMany(slot)
      const isNested = isList ? ids.every(mayNest) && new Set(ids).size === ids.length : true
      const inSlot = name === own ? '' : name
      const [only = ''] = ids
      if ((isList || (slot === 'id' && typeof value === 'string')) && isNested) {
        if (isList || mayNest(only)) {
          for (const child of ids) nested.push(() => place.nest(child, inSlot))
          // An empty list is what there is without children.
          if (ids.length > 0 || table.required?.includes(name) === true) continue
        }
      }
      if (
        name === own &&
        slot === 'children' &&
        isPlainObject(value) &&
        !('path' in table.fields)
      ) {
        const { path } = value
        const binding = this.#form.isTagged ? { '@path': path } : { path }
        const written = typeof path === 'string' ? braces(binding, undefined, this.#form) : null
        if (written !== null && written.startsWith('{$') && mayNest(only)) {
          attributes.push(`path=${quoted(written)}`)
          nested.push(() => {
            this.#lines.push(`${indent}  <template>`)
            place.nest(only, '')
            this.#lines.push(`${indent}  </template>`)
          })
          continue
        }
      }
      const text = this.#attribute(value, slot, properties.value)
      if (text === null) {
        scripts.push(
          `${indent}  <script type="application/json" slot=${quoted(name)}>${jsonText(value)}</script>`,
        )
      } else {
        attributes.push(
          `${name === 'action' && slot === 'action' ? 'onclick' : kebabOf(name, table)}=${quoted(text)}`,
        )
      }
    }
    const tag = `ui-${kebab(String(type))}`
    const opening = `${indent}<${tag} ${attributes.join(' ')}`
    if (scripts.length === 0 && nested.length === 0) {
      this.#lines.push(`${opening} />`)
      return
    }
    this.#lines.push(`${opening}>`, ...scripts)
    for (const write of nested) write()
    this.#lines.push(`${indent}</${tag}>`)
  }

  /** An attribute's text; null for what is written as JSON. */
  #attribute(value: unknown, slot: SlotTable | undefined, own: unknown): string | null {
    if (typeof value === 'string' && slot !== 'dNumber' && slot !== 'dBoolean') {
      return value.trim() !== value || /^\{[^]*\}$/.test(value)
        ? braces(value, slot, this.#form)
        : value
    }
    const isShort = typeof value !== 'object' || value === null || canBeCalled(value, slot)
    return isShort ? braces(value, slot, this.#form, own) : null
  }

  #tableOf({ component: type }: Component): ObjectTable | undefined {
    for (const catalog of this.#options.catalogs) {
      const table = tableOf(catalog, String(type))
      if (table !== undefined) return table
    }
    return undefined
  }
}

interface Place {
  readonly indent: string
  /** The property of the parent, where that has to be said. */
  readonly slot: string
  readonly at: (string | number)[]
  readonly mayNest: (child: string) => boolean
  nest(child: string, slot: string): void
}

/** The attribute of a property, in kebab case where that leads back to it. */
function kebabOf(name: string, { fields }: ObjectTable): string {
  return Object.hasOwn(fields, name) ? kebab(name) : name
}

/** The components that a property of a component holds. */
function* idsIn(value: unknown, slot: SlotTable | undefined): Iterable<string> {
  if (slot === 'id' && typeof value === 'string') yield value
  else if (takesMany(slot) && Array.isArray(value)) {
    for (const one of value) if (typeof one === 'string') yield one
  } else if (slot === 'children' && isPlainObject(value)) {
    if (typeof value.componentId === 'string') yield value.componentId
  }
}

/** JSON that cannot end the element around it. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('</', '<\\/')
}
