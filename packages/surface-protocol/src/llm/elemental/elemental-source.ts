import { append } from '@x/wire'
import type { Catalog } from '../../catalog/catalog.ts'
import type { ObjectTable } from '../../catalog/v09/table.ts'
import { isSurfaceError, quote } from '../../diagnostics/errors.ts'
import type { JsonValue } from '../../json.ts'
import type { Expression, Statement } from '../express/program.ts'
import type { StatementSource } from '../express/statement-source.ts'
import { ProgramFault } from '../express/program-fault.ts'
import type { ProgramReading, StatementResult } from '../express/read-statement.ts'
import { repairJson } from '../repair-json.ts'
import { attributeValue, jsonExpression } from './attribute-value.ts'
import { childProperty, Element, propertyOf, takesMany, typesByTag } from './element.ts'
import { readMarkup, type Attribute, type Markup } from './markup.ts'

type Start = Extract<Markup, { kind: 'start' }>
type Open = { readonly kind: 'body' | 'template'; readonly tag: string } | Element

const isElement = (open: Open | undefined): open is Element => open instanceof Element

/** Reads a document as statements: each component as soon as it is known, and again when it has more children. */
export class ElementalSource implements StatementSource {
  readonly #types: ReadonlyMap<string, [string, ObjectTable]>
  readonly #isStreaming: boolean
  readonly #queue: Statement[] = []
  readonly #stack: Open[] = []
  #repairs: string[] = []
  #at = 0
  #end: Extract<StatementResult, { kind: 'end' }> | null = null

  constructor(catalogs: readonly Catalog[], isStreaming: boolean) {
    this.#types = typesByTag(catalogs)
    this.#isStreaming = isStreaming
  }

  read(text: string, reading: ProgramReading): StatementResult {
    for (;;) {
      const statement = this.#queue.shift()
      if (statement !== undefined) {
        const repairs = this.#repairs
        this.#repairs = []
        return { kind: 'statement', statement, end: this.#at, repairs }
      }
      if (this.#end !== null) return this.#end
      const found = this.#step(text, reading)
      if (found !== null) return found
    }
  }

  /** Reads one tag; null if it was taken. */
  #step(text: string, reading: ProgramReading): StatementResult | null {
    const markup = readMarkup(text, { ...reading, from: this.#at })
    if (markup.kind === 'more') return markup
    if (markup.kind === 'error') {
      this.#at = markup.end
      return { ...markup, isTooDeep: false }
    }
    if (markup.kind === 'end') {
      if (this.#stack.length > 0) this.#repairs.push('missing tag')
      while (this.#stack.length > 0) this.#close()
      this.#at = markup.end
      this.#end = markup
      return null
    }
    try {
      if (markup.kind === 'start' && markup.name === 'script') {
        return this.#script(markup, text, reading)
      }
      this.#at = markup.end
      append(this.#repairs, markup.repairs)
      if (markup.kind === 'close') this.#closeTo(markup.name, markup.at)
      else this.#open(markup, reading.depth)
      return null
    } catch (error) {
      if (!(error instanceof ProgramFault)) throw error
      this.#at = Math.max(this.#at, markup.end)
      return { kind: 'fault', fault: error, end: this.#at }
    }
  }

  #open(tag: Start, depth: number): void {
    const { name, at } = tag
    if (this.#stack.length >= depth) {
      throw new ProgramFault('limit_exceeded', 'Too deeply nested.', { at })
    }
    if (name === 'body') this.#body(tag)
    else if (name === 'ui-delete-surface') {
      const id = textOf(tag, 'surface-id')
      this.#queue.push(callOf('deleteSurface', [id ?? ''], {}, at))
      if (!tag.isEmpty) this.#stack.push({ kind: 'template', tag: name })
    } else if (name === 'template') {
      const owner = this.#stack.at(-1)
      if (!isElement(owner) || owner.path === null) {
        throw new ProgramFault(
          'malformed_program',
          'A template stands in a component with path="{$/rows}".',
          { at },
        )
      }
      this.#stack.push({ kind: 'template', tag: name })
    } else if (name.startsWith('ui-')) this.#component(tag, depth)
    else {
      throw new ProgramFault('malformed_program', `There is no tag ${quote(name)}.`, { at })
    }
  }

  #body(tag: Start): void {
    while (this.#stack.length > 0) this.#close()
    const flags: Record<string, boolean> = {}
    for (const { name, value, at } of tag.attributes) {
      if (name === 'id') continue
      if (name === 'update') flags.update = value !== 'false'
      else if (name === 'send-data-model') flags.sendDataModel = value !== 'false'
      else throw new ProgramFault('malformed_program', `A body has no ${quote(name)}.`, { at })
    }
    const id = textOf(tag, 'id')
    if (id === undefined || id === '') {
      const detail = 'A body needs the id of its surface.'
      throw new ProgramFault('missing_property', detail, { at: tag.at })
    }
    this.#queue.push(callOf('surface', [id], flags, tag.at))
    if (!tag.isEmpty) this.#stack.push({ kind: 'body', tag: 'body' })
  }

  #component(tag: Start, depth: number): void {
    const { name, at, attributes } = tag
    const [type, table] = this.#types.get(name) ?? [pascal(name.slice(3)), { fields: {} }]
    // A leaf that was not closed ends where the next tag begins.
    for (let top = this.#stack.at(-1); isElement(top) && isLeaf(top); top = this.#stack.at(-1)) {
      this.#repairs.push('missing tag')
      this.#close()
    }
    const id = textOf(tag, 'id')
    const parent = this.#stack.at(-1)
    const element = new Element({ tag: name, type, table, id: id ?? '', at })
    // It is there for its children, whatever is wrong with its attributes.
    if (!tag.isEmpty) this.#stack.push(element)
    if (id === undefined || id === '') {
      throw new ProgramFault('missing_property', `${quote(name)} needs an id.`, { at })
    }
    this.#place(element, parent, textOf(tag, 'slot'))
    for (const attribute of attributes) {
      if (attribute.name === 'id' || attribute.name === 'slot') continue
      try {
        this.#attribute(element, attribute, depth)
      } catch (error) {
        element.isFaulty = true
        throw error
      }
    }
    if (tag.isEmpty || (this.#isStreaming && element.isComplete)) {
      this.#queue.push(element.statement())
    }
  }

  #attribute(element: Element, attribute: Attribute, depth: number): void {
    const { name } = attribute
    const { fields } = element.table
    const property = propertyOf(name, element.table)
    if (name === 'path' && property === null) {
      element.path = attributeValue(attribute, undefined, depth)
      return
    }
    const slot = property === null ? undefined : fields[property]
    element.set(property ?? name, attributeValue(attribute, slot, depth))
  }

  /** Puts a component where it stands: in a template, in a property of its parent, or on its own. */
  #place(element: Element, parent: Open | undefined, slot: string | undefined): void {
    const { at, id } = element
    if (parent === undefined || (!isElement(parent) && parent.kind === 'body')) return
    if (!isElement(parent)) {
      const owner = this.#stack.findLast((one) => isElement(one) && one !== element)
      if (isElement(owner)) this.#template(owner, element)
      return
    }
    const { table } = parent
    const property = slot === undefined ? childProperty(table) : propertyOf(slot, table)
    if (property === null) {
      const detail = `${quote(parent.tag)} needs slot="..." on the components in it.`
      throw new ProgramFault('malformed_program', detail, { at })
    }
    const count = parent.add(property, id)
    if (count > 1 && !takesMany(table.fields[property])) {
      const detail = `${quote(parent.tag)} holds one component in ${quote(property)}.`
      throw new ProgramFault('malformed_program', detail, { at })
    }
    // Its children so far, at each doubling: the work stays bounded.
    if (this.#isStreaming && parent.isComplete && (count & (count - 1)) === 0) {
      this.#queue.push(parent.statement())
    }
  }

  #template(owner: Element, { id, at }: Element): void {
    const property = childProperty(owner.table)
    if (owner.path === null || property === null) return
    const args = [owner.path, { kind: 'value', value: id, at } as const]
    owner.set(property, {
      kind: 'call',
      name: '_template',
      args: args.map((value) => ({ name: null, value, at })),
      isCheck: false,
      at,
    })
    owner.path = null
  }

  #closeTo(name: string, at: number): void {
    const index = this.#stack.findLastIndex(({ tag }) => tag === name)
    if (index === -1) {
      throw new ProgramFault('malformed_program', `Nothing is open that </${name}> closes.`, { at })
    }
    if (index < this.#stack.length - 1) this.#repairs.push('missing tag')
    while (this.#stack.length > index) this.#close()
  }

  #close(): void {
    const open = this.#stack.pop()
    if (!isElement(open) || open.id === '' || open.isFaulty) return
    if (open.path !== null) open.set('path', open.path)
    this.#queue.push(open.statement())
  }

  /** Data, or the value of a property, as JSON. */
  #script(tag: Start, text: string, { final }: ProgramReading): StatementResult | null {
    const closing = /<\/script\s*>/gi
    closing.lastIndex = tag.end
    const close = tag.isEmpty ? null : closing.exec(text)
    if (close === null && !final) return { kind: 'more' }
    const { at } = tag
    this.#at = close === null ? text.length : close.index + close[0].length
    const read = readJson(text.slice(tag.end, close?.index), at)
    append(this.#repairs, tag.repairs)
    append(this.#repairs, read.repairs)
    const slot = textOf(tag, 'slot')
    const owner = this.#stack.at(-1)
    if (slot !== undefined && isElement(owner)) {
      owner.set(propertyOf(slot, owner.table) ?? slot, jsonExpression(read.value, at))
      return null
    }
    this.#queue.push({ kind: 'data', path: pathOf(tag), value: json(read.value, at), at })
    return null
  }
}

function readJson(text: string, at: number): ReturnType<typeof repairJson> {
  try {
    return repairJson(text)
  } catch (error) {
    if (!isSurfaceError(error)) throw error
    throw new ProgramFault('malformed_program', `In the script: ${error.detail}`, { at })
  }
}

function isLeaf({ table }: Element): boolean {
  const slots = Object.values(table.fields)
  return (
    slots.length > 0 && !slots.some((slot) => slot === 'id' || takesMany(slot) || hasChildren(slot))
  )
}

function hasChildren(slot: unknown): boolean {
  return typeof slot === 'object' && slot !== null && !('enum' in slot)
}

function json(value: JsonValue, at: number): Expression {
  return { kind: 'value', value, at }
}

function textOf({ attributes }: Start, name: string): string | undefined {
  return attributes.find((one) => one.name.toLowerCase() === name)?.value ?? undefined
}

/** Where data go: `/a/b`, also written as a binding. */
function pathOf(tag: Start): string {
  const text = textOf(tag, 'path')?.trim() ?? ''
  const isBinding = text.startsWith('{') && text.endsWith('}')
  const path = isBinding ? text.slice(1, -1).trim().replace(/^\$/, '') : text
  return path === '' ? '/' : path
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}

function callOf(
  name: string,
  texts: readonly string[],
  flags: Readonly<Record<string, boolean>>,
  at: number,
): Statement {
  const value = (one: string | boolean): Expression => ({ kind: 'value', value: one, at })
  const args = [
    ...texts.map((one) => ({ name: null, value: value(one), at })),
    ...Object.entries(flags).map(([flag, one]) => ({ name: flag, value: value(one), at })),
  ]
  return { kind: 'call', call: { kind: 'call', name, args, isCheck: false, at }, at }
}
