import type { Catalog } from '../../catalog/catalog.ts'
import { catalogCore } from '../../catalog/catalog.ts'
import { nearest } from '../../catalog/nearest.ts'
import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import { quote } from '../../diagnostics/errors.ts'
import { setOwn, type JsonObject, type JsonValue } from '../../json.ts'
import { assigned, idGiven, positional } from './call-arguments.ts'
import type { Compiled, ValueContext } from './value-context.ts'
import { ProgramFault } from './program-fault.ts'
import type { Call, Expression } from './program.ts'
import { memberOf, signatureOf, tableOf } from './signature.ts'
import {
  isBound,
  isChoice,
  isReference,
  itemOf,
  mayHoldComponent,
  objectOf,
  takesText,
} from './slots.ts'

/** Where a value stands. */
interface Place {
  readonly slot: SlotTable | null
  /** The id of a component here; null in a map. */
  readonly id: string | null
  /** The bound value of the component; a check without a value of its own is about it. */
  readonly own?: JsonValue | undefined
}

/** Unknown names that get advice. */
const MAX_HINTS = 100

const anywhere: Place = { slot: null, id: null }

/** Compiles components and values of a program. */
export class ValueCompiler {
  readonly #context: ValueContext
  readonly #resolving = new Set<string>()
  #components: Compiled[] = []
  #hints = 0

  constructor(context: ValueContext) {
    this.#context = context
  }

  /** True if a call makes a component. */
  isComponent({ name, isCheck }: Call): boolean {
    return !isCheck && this.#typeOf(name) !== undefined
  }

  /** The component of a name, and those within it; its own is first. */
  component(call: Call, name: string): Compiled[] {
    this.#components = []
    this.#component(call, idGiven(call) ?? name)
    return this.#components
  }

  /** A value of the data model. */
  data(value: Expression): JsonValue {
    this.#context.count(value.at)
    switch (value.kind) {
      case 'value':
        return value.value
      case 'list':
        return value.items.map((item) => this.data(item))
      case 'map': {
        const map: JsonObject = {}
        for (const [key, item] of value.entries) setOwn(map, key, this.data(item))
        return map
      }
      case 'name':
        return this.#named(value, (found) => this.data(found))
      default:
        throw new ProgramFault(
          'malformed_program',
          'Data are texts, numbers, booleans, lists and maps.',
          value,
        )
    }
  }

  /** A function call that stands on its own. */
  call(call: Call): JsonObject {
    return this.#function(call, null)
  }

  #typeOf(name: string): { table: ObjectTable; catalogs: readonly Catalog[] } | undefined {
    const catalogs = this.#context.catalogs.filter((one) => tableOf(one, name) !== undefined)
    const [first] = catalogs
    const table = first === undefined ? undefined : tableOf(first, name)
    return table === undefined ? undefined : { table, catalogs }
  }

  #component(call: Call, id: string): void {
    const type = this.#typeOf(call.name)
    if (type === undefined) throw this.#unknownType(call)
    const component: JsonObject = { id, component: call.name }
    this.#components.push({ id, type: call.name, component, at: call.at })
    this.#context.count(call.at)
    const { table } = type
    const { fields } = table
    const given = assigned(call, signatureOf(table))
    this.#chooseCatalog(call, type.catalogs, component)
    const late: [string, Expression][] = []
    for (const [name, value] of given) {
      if (name === 'id' || name === 'catalogId') continue
      if (memberOf(fields, name) === 'checks') late.push([name, value])
      else this.#property(component, { name, value, table, owner: id })
    }
    const own = isBound(component.value, this.#context.isTagged) ? component.value : undefined
    for (const [name, value] of late) component[name] = this.#checks(value, own)
  }

  #property(
    component: JsonObject,
    {
      name,
      value,
      table,
      owner,
    }: { name: string; value: Expression; table: ObjectTable; owner: string },
  ): void {
    const { required = [] } = table
    const isNull = value.kind === 'value' && value.value === null
    if (value.kind === 'skip' || (isNull && !required.includes(name))) return
    const slot = memberOf(table.fields, name) ?? null
    const id = `${owner}_${name}`
    setOwn(component, name, this.#value(value, { slot, id }))
  }

  #chooseCatalog(call: Call, catalogs: readonly Catalog[], into: JsonObject): void {
    const given = call.args.find(({ name }) => name === 'catalogId')?.value
    if (given?.kind === 'value') into.catalogId = given.value
    else if (this.#context.isTagged && this.#context.catalogs.length > 1) {
      if (catalogs.length > 1) {
        throw new ProgramFault(
          'missing_catalog',
          `${quote(call.name)} is in several catalogs: name one with catalogId=.`,
          call,
        )
      }
      into.catalogId = catalogs[0]?.catalogId ?? null
    }
  }

  #value(value: Expression, place: Place): JsonValue {
    const { slot } = place
    this.#context.count(value.at)
    if (slot === 'checks') return this.#checks(value, place.own)
    switch (value.kind) {
      case 'value':
        return value.value
      case 'path':
        return this.#context.isTagged ? { '@path': value.path } : { path: value.path }
      case 'skip':
        return null
      case 'list':
        return value.items.map((item, index) => this.#item(item, index, place))
      case 'map':
        return this.#map(value.entries, slot)
      case 'name':
        return this.#name(value, place)
      case 'call':
        return this.#call(value, place)
    }
  }

  #item(item: Expression, index: number, { slot, id }: Place): JsonValue {
    const inner = itemOf(slot)
    const value = this.#value(item, { slot: inner, id: id === null ? null : `${id}_${index}` })
    return typeof value === 'string' && isChoice(inner) ? { label: value, value } : value
  }

  #map(entries: readonly (readonly [string, Expression])[], slot: SlotTable | null): JsonValue {
    const table = objectOf(slot)
    const map: JsonObject = {}
    for (const [key, item] of entries) {
      if (item.kind === 'skip') continue
      const inner = table === null ? null : (memberOf(table.fields, key) ?? null)
      setOwn(map, key, this.#value(item, { slot: inner, id: null }))
    }
    return map
  }

  #name(value: Extract<Expression, { kind: 'name' }>, place: Place): JsonValue {
    const { name } = value
    const found = this.#context.lookUp(name)
    if (found?.kind === 'call' && this.isComponent(found)) {
      if (!mayHoldComponent(place.slot)) throw misplaced(value.at, name)
      return idGiven(found) ?? name
    }
    if (found === undefined && (isReference(place.slot) || this.#context.isLenient)) return name
    // A call that makes no component is reported where it stands.
    if (found?.kind === 'call' && place.slot === 'id') return name
    return this.#named(value, (inner) => this.#value(inner, place))
  }

  #named(
    { name, at }: { readonly name: string; readonly at: number },
    read: (value: Expression) => JsonValue,
  ): JsonValue {
    const found = this.#context.lookUp(name)
    if (found === undefined) {
      throw new ProgramFault('malformed_program', `${quote(name)} is not defined.`, {
        at,
        hint: `Text("...") for a text`,
        missing: name,
      })
    }
    if (this.#resolving.has(name)) {
      throw new ProgramFault('circular_reference', `${quote(name)} stands for itself.`, { at })
    }
    this.#resolving.add(name)
    try {
      return read(found)
    } finally {
      this.#resolving.delete(name)
    }
  }

  #call(call: Call, place: Place): JsonValue {
    const { name } = call
    const { slot } = place
    if (name === '_template') {
      const [path, component] = positional(call, 2)
      if (path?.kind !== 'path')
        throw new ProgramFault('malformed_program', 'A template begins with a path.', call)
      const componentId =
        component === undefined ? '' : this.#value(component, { slot: 'id', id: null })
      return { path: path.path, componentId }
    }
    if (name === 'Event' && !call.isCheck) return { event: this.#event(call) }
    if (this.isComponent(call)) {
      if (!mayHoldComponent(slot)) throw misplaced(call.at, name)
      const id = idGiven(call) ?? place.id ?? `_inline_${call.inline ?? 0}`
      this.#component(call, id)
      return id
    }
    if (isReference(slot)) throw this.#unknownType(call)
    const made = this.#function(call, null)
    return slot === 'action' ? { functionCall: made } : made
  }

  #event(call: Call): JsonObject {
    const given = assigned(call, ['name', 'context', 'wantResponse', 'responsePath'])
    const event: JsonObject = {}
    for (const [name, value] of given) {
      if (value.kind !== 'skip') event[name] = this.#value(value, anywhere)
    }
    return event
  }

  /** A call of a function; `own`: the value that a check is about. */
  #function(call: Call, own: { value: JsonValue | undefined } | null): JsonObject {
    const found = this.#functionTable(call)
    if (found === undefined) {
      throw new ProgramFault('unknown_function', `There is no function ${quote(call.name)}.`, {
        at: call.at,
        hint: this.#nearest(call.name, true),
      })
    }
    const names = signatureOf(found)
    const shifted =
      own !== null && names[0] === 'value' && own.value !== undefined && !hasValue(call, this)
    const args: JsonObject = {}
    if (shifted && own.value !== undefined) args.value = own.value
    for (const [name, value] of assigned(call, shifted ? names.slice(1) : names)) {
      if (value.kind === 'skip' || name === 'catalogId' || name === 'functionCallId') continue
      const slot = memberOf(found.fields, name) ?? null
      setOwn(args, name, this.#value(value, { slot, id: null }))
    }
    return this.#context.isTagged ? { '@call': call.name, args } : { call: call.name, args }
  }

  #functionTable(call: Call): ObjectTable | undefined {
    for (const catalog of this.#context.catalogs) {
      const table = memberOf(catalogCore(catalog).v09?.table.functions ?? {}, call.name)
      if (table !== undefined) return table.args
    }
    return undefined
  }

  /** True if an expression is computed: a path, a call, or a name that stands for one. */
  isComputed(value: Expression): boolean {
    const found = value.kind === 'name' ? this.#context.lookUp(value.name) : value
    return found?.kind === 'path' || found?.kind === 'call'
  }

  #checks(value: Expression, own: JsonValue | undefined): JsonValue {
    if (value.kind === 'list') return value.items.map((item) => this.#check(item, own))
    if (value.kind === 'name') {
      return this.#named(value, (found) => this.#checks(found, own))
    }
    return [this.#check(value, own)]
  }

  #check(value: Expression, own: JsonValue | undefined): JsonValue {
    if (value.kind === 'name') return this.#named(value, (found) => this.#check(found, own))
    if (value.kind !== 'call') return this.#value(value, anywhere)
    const { args, name } = value
    const last = args.at(-1)
    const message = last?.name === null && last.value.kind === 'value' ? last.value.value : null
    const table = this.#functionTable(value)
    const names = table === undefined ? [] : signatureOf(table)
    const isShifted = names[0] === 'value' && own !== undefined && !hasValue(value, this)
    const index = args.length - 1 + (isShifted ? 1 : 0)
    const isNamed = args.some((one) => one.name !== null)
    const slot = memberOf(table?.fields ?? {}, names[index] ?? '')
    const isMessage = typeof message === 'string' && (isNamed || !takesText(slot))
    const call = isMessage ? { ...value, args: args.slice(0, -1) } : value
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    return {
      condition: this.#function(call, { value: own }),
      message: isMessage ? message : `${title} check failed`,
    }
  }

  #unknownType({ name, at }: Call): ProgramFault {
    const detail = `The catalog has no component type ${quote(name)}.`
    const hint = this.#nearest(name, false)
    return new ProgramFault('invalid_component_type', detail, { at, hint })
  }

  /** What was probably meant; unknown names beyond the first ones get no advice. */
  #nearest(name: string, isCalled: boolean): string | undefined {
    this.#hints += 1
    if (this.#hints > MAX_HINTS) return undefined
    const { catalogs } = this.#context
    const types = catalogs.flatMap((catalog) => catalog.types)
    const names = isCalled ? catalogs.flatMap(({ functionNames = [] }) => functionNames) : []
    return nearest(name, [...names, ...types])
  }
}

/** True if a check's arguments begin with the value that it is about. */
function hasValue({ args }: Call, compiler: ValueCompiler): boolean {
  const [first] = args
  if (args.some(({ name }) => name === 'value')) return true
  return first?.name === null && compiler.isComputed(first.value)
}

function misplaced(at: number, name: string): ProgramFault {
  return new ProgramFault('malformed_program', `The component ${quote(name)} cannot stand here.`, {
    at,
  })
}
