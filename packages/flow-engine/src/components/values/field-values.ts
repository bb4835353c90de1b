import { isObject } from '@x/wire'
import { BareObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { dataText, toDataFrame } from '../../graph/values/convert.ts'
import { createData, isData } from '../../graph/values/data.ts'
import { isDataFrame } from '../../graph/values/data-frame.ts'
import { toLiteralText } from '../../graph/values/literal-text.ts'
import { messageToFields } from '../../graph/values/message-json.ts'
import { createMessage, isMessage, isStream, readText } from '../../graph/values/message.ts'
import { readMessage } from '../../graph/values/read-message.ts'
import { isChatModel, isEmbedder, isTool } from '../../models/chat-model.ts'
import type { Component } from '../define/component.ts'
import { readPicked } from '../define/picked-model.ts'
import type { Field, FieldKind } from '../define/field.ts'
import type { FileReference } from '../define/services.ts'
import { isVariableValue } from '../define/variable-value.ts'
import { chosenOption, type Choice } from './chosen-option.ts'

export interface FieldValueOptions {
  /** Creates the reference to a stored file. */
  file(path: string): FileReference
}

/**
 * Computes the values passed to `prepare` and `run`: raw values (template, tweak, edge) are converted by
 * field class, and defaults are filled in. Names that are not declared inputs are passed unchanged.
 * Returns a promise only if streaming text must be read first.
 * @throws TypeError that names the field with an invalid value
 */
export function fieldValues(
  component: Component,
  raw: Readonly<Record<string, unknown>>,
  options: FieldValueOptions,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const values = new BareObject()
  let pending: Promise<void>[] | undefined
  for (const name in raw) {
    if (Object.hasOwn(raw, name) && !Object.hasOwn(component.inputs, name)) values[name] = raw[name]
  }
  for (const [name, field] of inputsOf(component)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined
    const value = fieldValue(name, field, given, options, component.displayName)
    if (value instanceof Promise) {
      pending ??= []
      pending.push(value.then((read: unknown) => void (values[name] = read)))
    }
    values[name] = value
  }
  return pending === undefined ? values : Promise.all(pending).then(() => values)
}

const inputs = new WeakMap<Component['inputs'], readonly (readonly [string, Field])[]>()

/** Caches the declared inputs as a list for each component. */
function inputsOf(component: Component): readonly (readonly [string, Field])[] {
  const known = inputs.get(component.inputs)
  if (known !== undefined) return known
  const entries = Object.entries(component.inputs)
  inputs.set(component.inputs, entries)
  return entries
}

/** Converts a single value by its field class; see `fieldValues`. */
export function fieldValue(
  name: string,
  field: Field,
  raw: unknown,
  options: FieldValueOptions,
  component = '',
): unknown {
  const given = raw ?? field.options.default ?? null
  const convert = CONVERT[field.fieldKind]
  const one: Conversion = { name, field, options, component }
  if (COLLECTING.has(field.fieldKind) || field.options.list !== true) return convert(given, one)
  const items = listOf(given).map((item) => convert(item, one))
  return items.some((item) => item instanceof Promise) ? Promise.all(items) : items
}

interface Conversion extends Choice {
  readonly options: FieldValueOptions
}

type Convert = (value: unknown, one: Conversion) => unknown

/** Field classes that combine all given values into one list or object. */
const COLLECTING: ReadonlySet<FieldKind> = new Set([
  'multiselect',
  'sortableList',
  'dict',
  'nestedDict',
  'table',
  'tools',
  'file',
])

const asStored: Convert = (value) => value
const asPlainText: Convert = (value) =>
  isMessage(value) ? readWhole(value.text) : value === null ? '' : toLiteralText(value)

const CONVERT: Readonly<Record<FieldKind, Convert>> = {
  message: readMessageValue,
  text: (value, one) => whenRead(textOf(value, one), one),
  multiline: (value, one) => whenRead(textOf(value, one), one),
  query: (value, one) => whenRead(textOf(value, one), one),
  stream: (value, one) => textOf(value, one),
  prompt: asPlainText,
  code: asPlainText,
  link: asPlainText,
  string: asPlainText,
  secret: (value, one) =>
    value === null || isVariableValue(value) ? value : whenRead(textOf(value, one), one),
  picker: (value, one) => readPicked(value) ?? misfitModel(value, one),
  int: (value, one) => {
    const number = numberOf(value, one)
    return number === null ? null : Math.trunc(number)
  },
  float: numberOf,
  slider: numberOf,
  bool: booleanOf,
  dropdown: dropdownOf,
  tab: tabOf,
  multiselect: (value, one) => textsOf(value, one).map((text) => chosenOption(text, one)),
  sortableList: (value, one) => listOf(value).map((item) => sortableOf(item, one)),
  dict: objectOf,
  nestedDict: objectOf,
  table: rowsOf,
  data: dataOf,
  dataFrame: (value) => (value === null || value === '' ? null : toDataFrame(value)),
  handle: asStored,
  model: (value, one) => expected(value, isChatModel, one, 'a language model'),
  embeddings: (value, one) => expected(value, isEmbedder, one, 'an embedding model'),
  memory: (value) => (value === '' ? null : value),
  tools: (value, one) => listOf(value).map((item) => expected(item, isTool, one, 'tools')),
  file: filesOf,
  mcp: asStored,
  connect: asStored,
  auth: asStored,
}

/** Null if nothing is selected; any other invalid selection is an error. */
function misfitModel(value: unknown, one: Conversion): null {
  if (value === null || value === '' || value === 'connect_other_models') return null
  if (Array.isArray(value) && value.length === 0) return null
  throw misfit(one, value, 'a model')
}

function misfit({ name, field }: Conversion, value: unknown, wanted: string): TypeError {
  const label = field.options.displayName ?? name
  return new TypeError(`The input "${label}" (${name}) expects ${wanted}, got ${nameOfType(value)}`)
}

/** Names the type of a value for error messages. */
export function nameOfType(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (isMessage(value)) return 'Message'
  if (isData(value)) return 'Data'
  if (isDataFrame(value)) return 'DataFrame'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return KIND_WORDS.get(typeof value) ?? 'dict'
}

const KIND_WORDS = new Map([
  ['string', 'str'],
  ['boolean', 'bool'],
  ['bigint', 'int'],
])

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined || value === '') return []
  return Array.isArray(value) ? (value as unknown[]).flat() : [value]
}

function readWhole(text: string | AsyncIterable<string>): string | Promise<string> {
  return typeof text === 'string' ? text : readText(text)
}

function whenRead(text: unknown, one: Conversion): unknown {
  if (typeof text === 'string') return text
  if (isStream(text)) return readText(text)
  throw misfit(one, text, 'text')
}

function textOf(value: unknown, one: Conversion): string | AsyncIterable<string> {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (isMessage(value)) return value.text
  if (isStream(value)) return value
  if (isData(value)) {
    if (Object.hasOwn(value.data, value.textKey)) return dataText(value)
    const keys = Object.keys(value.data).join(', ')
    throw new TypeError(
      `The input to '${one.name}' must contain the key '${value.textKey}'.You can set \`text_key\` to one of the following keys: ${keys} or set the value using another Component.`,
    )
  }
  if (isObject(value) && !isDataFrame(value)) return readMessage(value).text
  throw misfit(one, value, 'text')
}

function readMessageValue(value: unknown, one: Conversion): unknown {
  if (value === null || isMessage(value)) return value
  if (isStream(value)) return createMessage(value)
  if (isData(value)) return createMessage(dataText(value))
  if (typeof value === 'string') return createMessage(value)
  if (isObject(value) && !isDataFrame(value)) return readMessage(value)
  throw misfit(one, value, 'a message')
}

function numberOf(value: unknown, one: Conversion): number | null {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  if (value === null || value === '' || value === false) return fallbackNumber(one.field)
  const text = isMessage(value) ? value.text : value
  const number = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN
  if (Number.isNaN(number)) throw misfit(one, value, 'a number')
  return number
}

function fallbackNumber({ options }: Field): number | null {
  return typeof options.default === 'number' ? options.default : null
}

const TRUE_TEXTS = new Set(['true', '1', 't', 'y', 'yes', 'on'])
const FALSE_TEXTS = new Set(['false', '0', 'f', 'n', 'no', 'off', ''])

function booleanOf(value: unknown, one: Conversion): boolean {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  const text = isMessage(value) ? value.text : value
  if (typeof text === 'string' || typeof text === 'number') {
    const word = String(text).trim().toLowerCase()
    if (TRUE_TEXTS.has(word)) return true
    if (FALSE_TEXTS.has(word)) return false
  }
  throw misfit(one, value, 'true or false')
}

function tabOf(value: unknown, one: Conversion): string {
  if (value === null || value === '') return ''
  const text = isMessage(value) ? value.text : value
  if (typeof text !== 'string') throw misfit(one, value, 'the name of an option')
  return chosenOption(text, one)
}

function dropdownOf(value: unknown, one: Conversion): unknown {
  // A dropdown with handles may receive a model instead of a provider name.
  if (isChatModel(value)) return value
  const text = asPlainText(value, one)
  if (text instanceof Promise) return text.then((read: string) => chosenOption(read, one))
  return typeof text === 'string' ? chosenOption(text, one) : text
}

function textsOf(value: unknown, one: Conversion): string[] {
  const items = listOf(value)
  const texts = items.filter((item) => typeof item === 'string')
  if (texts.length !== items.length) throw misfit(one, value, 'a list of texts')
  return texts
}

function sortableOf(item: unknown, one: Conversion): unknown {
  if (typeof item === 'string') return { name: chosenOption(item, one) }
  if (!isObject(item) || typeof item.name !== 'string') return item
  return { ...item, name: chosenOption(item.name, one) }
}

function objectOf(value: unknown, one: Conversion): Record<string, unknown> {
  if (value === null || value === '') return {}
  if (Array.isArray(value)) {
    const parts = value.map((item) => objectOf(item, one))
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
  }
  if (isMessage(value)) return messageToFields(value)
  if (isData(value)) return { ...value.data }
  if (isObject(value)) return value
  if (typeof value === 'string') {
    const parsed = readJson(value)
    if (isObject(parsed)) return parsed
  }
  throw misfit(one, value, 'an object')
}

function rowsOf(value: unknown, one: Conversion): unknown[] {
  if (isDataFrame(value)) return value.rows.map((row) => ({ ...row }))
  return listOf(value).flatMap((item): unknown[] => {
    if (typeof item === 'string') throw misfit(one, value, 'a table (a list of objects)')
    if (isData(item) && one.field.options.keepData === true) return [item]
    return isDataFrame(item) ? rowsOf(item, one) : [objectOf(item, one)]
  })
}

function dataOf(value: unknown, one: Conversion): unknown {
  if (value === null || value === '' || isData(value)) return value === '' ? null : value
  if (isMessage(value)) return createData(messageToFields(value))
  if (isObject(value) && !isDataFrame(value)) return createData(value)
  throw misfit(one, value, 'Data')
}

function expected<T>(
  value: unknown,
  fits: (value: unknown) => value is T,
  one: Conversion,
  wanted: string,
): T | null {
  if (value === null || value === '') return null
  if (!fits(value)) throw misfit(one, value, wanted)
  return value
}

function filesOf(value: unknown, one: Conversion): FileReference[] {
  return listOf(value)
    .filter((item) => item !== null && item !== '')
    .map((item) => {
      if (typeof item === 'string') return one.options.file(item)
      if (isObject(item) && typeof item.path === 'string') {
        return isFileReference(item) ? item : one.options.file(item.path)
      }
      throw misfit(one, item, 'the path of a file')
    })
}

function isFileReference(value: object): value is FileReference {
  return 'read' in value && typeof value.read === 'function'
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
