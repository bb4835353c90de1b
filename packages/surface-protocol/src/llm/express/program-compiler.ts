import { familyOf, versionNumber } from '../../data/version.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../json.ts'
import { flagsOf, textOf } from './call-arguments.ts'
import { ValueCompiler } from './compile-values.ts'
import type { Compiled } from './value-context.ts'
import { absolute, whole, withValue } from './data-tree.ts'
import { ProgramFault } from './program-fault.ts'
import type { ProgramOptions } from './program-options.ts'
import { newScope, type Scope } from './scope.ts'
import type { Call, Expression, Statement } from './program.ts'

/** What a program gives: a message with the places of its components, or a fault. */
export type Output =
  | { readonly message: JsonObject; readonly at: number; readonly places: readonly number[] }
  | { readonly fault: ProgramFault }

/** Compiles the statements of one program, in order. */
export class ProgramCompiler {
  readonly #options: ProgramOptions
  readonly #isTagged: boolean
  readonly #versionText: string
  readonly #values: ValueCompiler
  #scope: Scope
  /** The owner whose uses of names are noted. */
  #owner = ''
  #count = 0
  #calls = 0
  #isEmpty = true
  #hasOther = false

  constructor(options: ProgramOptions) {
    this.#options = options
    this.#isTagged = familyOf(options.version) === '1.0'
    this.#versionText = `v${versionNumber(options.version)}`
    this.#scope = newScope({ surfaceId: options.surfaceId, at: 0 })
    this.#values = new ValueCompiler({
      catalogs: options.catalogs,
      isTagged: this.#isTagged,
      isLenient: options.isSdk,
      lookUp: (name) => {
        const { users, names } = this.#scope
        const known = users.get(name) ?? new Set()
        users.set(name, known.add(this.#owner))
        return names.get(name)?.value
      },
      count: (at) => {
        this.#count += 1
        if (this.#count > options.maxValues) {
          throw new ProgramFault(
            'limit_exceeded',
            `A program may have ${options.maxValues} values.`,
            { at },
          )
        }
      },
    })
  }

  /** Takes the next statement. */
  add(statement: Statement): Output[] {
    const outputs: Output[] = []
    try {
      if (statement.kind === 'call') this.#call(statement.call, outputs)
      else this.#define(statement, outputs)
    } catch (error) {
      outputs.push(faultOf(error))
    }
    return outputs
  }

  /** The statements are over. */
  end(): Output[] {
    const outputs: Output[] = []
    this.#close(outputs)
    if (this.#isEmpty && !this.#hasOther) {
      outputs.push({
        fault: new ProgramFault('missing_root', 'The program has no component "root".', { at: 0 }),
      })
    }
    return outputs
  }

  #define(statement: Exclude<Statement, { kind: 'call' }>, outputs: Output[]): void {
    const scope = this.#scope
    this.#isEmpty = false
    this.#number(statement.value, false)
    if (statement.kind === 'data') {
      scope.data.push({ ...statement, path: absolute(statement.path) })
      if (this.#options.isStreaming) this.#compileAll([`$${scope.data.length - 1}`], outputs)
      return
    }
    const { name, value, at } = statement
    scope.names.set(name, { value, at })
    if (!this.#options.isStreaming) return
    const users = [...(scope.users.get(name) ?? [])].filter((owner) => owner !== name)
    this.#compileAll([name, ...users], outputs)
  }

  /** Numbers the components that stand in maps and templates, in the order of the text. */
  #number(value: Expression, isInMap: boolean): void {
    if (value.kind === 'list') for (const item of value.items) this.#number(item, isInMap)
    else if (value.kind === 'map') for (const [, item] of value.entries) this.#number(item, true)
    else if (value.kind === 'call') {
      if (isInMap && this.#values.isComponent(value)) value.inline = this.#scope.inlines += 1
      const isTemplate = value.name === '_template'
      for (const { value: inner } of value.args) this.#number(inner, isTemplate)
    }
  }

  /** Compiles owners, and sends what that changes. */
  #compileAll(owners: readonly string[], outputs: Output[]): void {
    const scope = this.#scope
    const changed = owners.filter((owner) => this.#compile(owner, outputs))
    if (changed.includes('root') && !scope.isStarted) {
      this.#start([...scope.compiled.keys()], outputs)
    } else if (scope.isStarted || scope.isUpdate) this.#send(changed, outputs)
  }

  /** Compiles an owner; false if it has to wait for a name or is no component. */
  #compile(owner: string, outputs: Output[], isLast = false): boolean {
    const scope = this.#scope
    this.#owner = owner
    scope.failed.delete(owner)
    const data = owner.startsWith('$') ? scope.data[Number(owner.slice(1))] : undefined
    const definition = scope.names.get(owner)
    try {
      if (data !== undefined) scope.compiled.set(owner, this.#values.data(data.value))
      else if (definition?.value.kind === 'call') {
        const call = definition.value
        if (this.#values.isComponent(call)) {
          scope.compiled.set(owner, this.#values.component(call, owner))
        } else if (/^\p{Lu}/u.test(call.name) && call.name !== 'Event')
          this.#values.component(call, owner)
        else return false
      } else return false
      return true
    } catch (error) {
      const fault = faultOf(error)
      const isWaiting = error instanceof ProgramFault && error.missing !== undefined && !isLast
      scope.compiled.delete(owner)
      if (!isWaiting) {
        scope.failed.add(owner)
        outputs.push(fault)
      }
      return false
    }
  }

  /** The first messages of a surface: it, the data so far, the components so far. */
  #start(owners: readonly string[], outputs: Output[]): void {
    const scope = this.#scope
    scope.isStarted = true
    const { isSdk } = this.#options
    const root = scope.compiled.get('root')
    const isNew = !scope.isUpdate && isComponents(root) && root[0]?.id === 'root'
    const data = owners.filter((owner) => owner.startsWith('$'))
    if (!isNew && !isSdk) {
      this.#send(owners, outputs)
      return
    }
    const components = this.#changed(owners)
    const model = data.length === 0 ? undefined : this.#model(data)
    if (!isNew) {
      if (model !== undefined)
        this.#put(this.#dataMessage(model.path, model.value), scope.at, outputs)
      this.#components(components, outputs)
      return
    }
    const catalogId = this.#catalogFor(components)
    const { surfaceId, sendDataModel } = scope
    const created: JsonObject = {
      surfaceId,
      catalogId,
      ...(sendDataModel === undefined ? {} : { sendDataModel }),
    }
    const at = components[0]?.at ?? scope.at
    if (this.#isTagged) {
      created.components = components.map(({ component }) => component)
      if (model !== undefined) created.dataModel = at === -1 ? null : whole(model)
      outputs.push({
        message: { version: this.#versionText, createSurface: created },
        at,
        places: components.map((one) => one.at),
      })
      return
    }
    this.#put({ createSurface: created }, at, outputs)
    if (model !== undefined) this.#put(this.#dataMessage('/', whole(model)), scope.at, outputs)
    this.#components(components, outputs)
  }

  /** Sends what changed of a surface that exists. */
  #send(owners: readonly string[], outputs: Output[]): void {
    const { compiled, data, sent } = this.#scope
    for (const owner of owners) {
      const statement = owner.startsWith('$') ? data[Number(owner.slice(1))] : undefined
      const value = compiled.get(owner)
      if (statement === undefined || value === undefined) continue
      const json = JSON.stringify(value)
      if (sent.get(owner) === json) continue
      sent.set(owner, json)
      this.#put(this.#dataMessage(statement.path, value as JsonValue), statement.at, outputs)
    }
    this.#components(this.#changed(owners), outputs)
  }

  #components(components: readonly Compiled[], outputs: Output[]): void {
    const [first] = components
    if (first === undefined) return
    const { surfaceId } = this.#scope
    const list = components.map(({ component }) => component)
    outputs.push({
      message: {
        version: this.#versionText,
        updateComponents: { surfaceId, components: list },
      },
      at: first.at,
      places: components.map(({ at }) => at),
    })
  }

  /** The components of owners that differ from what was sent; of those with one id the last. */
  #changed(owners: readonly string[]): Compiled[] {
    const { compiled, sent } = this.#scope
    const found = new Map<string, Compiled>()
    for (const owner of owners) {
      const list = compiled.get(owner)
      if (owner.startsWith('$') || !isComponents(list)) continue
      for (const one of list) {
        const json = JSON.stringify(one.component)
        if (sent.get(one.id) === json) continue
        sent.set(one.id, json)
        found.set(one.id, one)
      }
    }
    return [...found.values()]
  }

  #dataMessage(path: string, value: JsonValue): JsonObject {
    return { updateDataModel: { surfaceId: this.#scope.surfaceId, path, value } }
  }

  #put(body: JsonObject, at: number, outputs: Output[]): void {
    outputs.push({ message: { version: this.#versionText, ...body }, at, places: [] })
  }

  /** The data of assignments as one value; a single one keeps its path. */
  #model(owners: readonly string[]): { path: string; value: JsonValue } {
    const { data, compiled, sent } = this.#scope
    let model: JsonValue = {}
    let only: { path: string; value: JsonValue } | null = null
    for (const owner of owners) {
      const statement = data[Number(owner.slice(1))]
      const value = compiled.get(owner) as JsonValue | undefined
      if (statement === undefined || value === undefined) continue
      sent.set(owner, JSON.stringify(value))
      model = withValue(model, statement, value)
      only = { path: statement.path, value }
    }
    return owners.length === 1 && only !== null ? only : { path: '/', value: model }
  }

  /** The id of the first catalog that has all types of some components. */
  #catalogFor(components: readonly Compiled[]): string {
    const { catalogs } = this.#options
    const types = components.map(({ type }) => type)
    const fit = catalogs.find((one) => types.every((type) => one.types.includes(type)))
    return (this.#isTagged ? catalogs[0] : (fit ?? catalogs[0]))?.catalogId ?? ''
  }

  #call(call: Call, outputs: Output[]): void {
    if (call.name === 'surface' || call.name === 'deleteSurface') {
      this.#close(outputs)
      this.#hasOther = true
      const id = textOf(call, 'surfaceId', 0)
      if (id === undefined) {
        throw new ProgramFault('malformed_program', `${call.name} takes the id of a surface.`, call)
      }
      this.#scope = newScope({ surfaceId: id, isNamed: true, at: call.at, ...flagsOf(call) })
      if (call.name === 'deleteSurface') {
        this.#scope = newScope({ surfaceId: this.#options.surfaceId, at: call.at })
        this.#put({ deleteSurface: { surfaceId: id } }, call.at, outputs)
      }
      return
    }
    this.#hasOther = true
    if (this.#values.isComponent(call)) {
      throw new ProgramFault(
        'malformed_program',
        `A component needs a name: write name = ${call.name}(...).`,
        call,
      )
    }
    const body = this.#values.call(call)
    if (!this.#isTagged) {
      throw new ProgramFault(
        'unsupported_version',
        'A call on its own is a message of version 1.0.',
        call,
      )
    }
    this.#calls += 1
    const functionCallId = textOf(call, 'functionCallId') ?? `call_${this.#calls}`
    const { catalogs } = this.#options
    const owner = catalogs.find((one) => one.functionNames?.includes(call.name) === true)
    const catalogId = textOf(call, 'catalogId') ?? owner?.catalogId ?? ''
    const callFunction = { ...body, catalogId }
    this.#put({ callRendererFunction: { functionCallId, callFunction } }, call.at, outputs)
  }

  /** Ends a surface: what waited for a name is a fault now. */
  #close(outputs: Output[]): void {
    const scope = this.#scope
    const { names, data, compiled, isStarted } = scope
    const owners = [...data.map((_, index) => `$${index}`), ...names.keys()]
    if (owners.length === 0 && (!scope.isNamed || isStarted)) return
    for (const owner of owners) {
      if (!compiled.has(owner) && !scope.failed.has(owner)) this.#compile(owner, outputs, true)
    }
    const ready = owners.filter((owner) => compiled.has(owner))
    const root = compiled.get('root')
    const hasRoot = isComponents(root) && root[0]?.id === 'root'
    if (!scope.isNamed && !hasRoot && !outputs.some((one) => 'fault' in one) && !isStarted) {
      const detail = 'The program has no component "root".'
      outputs.push({ fault: new ProgramFault('missing_root', detail, { at: scope.at }) })
      return
    }
    if (isStarted || (this.#options.isStreaming && scope.isUpdate)) this.#send(ready, outputs)
    else this.#start(ready, outputs)
  }
}

function faultOf(error: unknown): { fault: ProgramFault } {
  if (error instanceof ProgramFault) return { fault: error }
  throw error
}

function isComponents(value: Compiled[] | JsonValue | undefined): value is Compiled[] {
  return (
    Array.isArray(value) &&
    value.every((one) => isPlainObject(one) && 'component' in one && 'at' in one)
  )
}
