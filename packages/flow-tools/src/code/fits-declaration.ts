import type { Component } from '@x/flow-engine'
import { isObject } from '@x/wire'

type Field = Component['inputs'][string]

/** Whether the declared type of a field accepts a value, as the compiler sees it. */
export function fitsDeclaration(field: Field, value: unknown): boolean {
  const { fieldKind, options } = field
  const one = KINDS[fieldKind]
  if (one === undefined) return true
  if (LISTS.has(fieldKind)) return Array.isArray(value) && value.every((item) => one(item, options))
  if (fieldKind === 'file')
    return (
      one(value, options) || (Array.isArray(value) && value.every((item) => one(item, options)))
    )
  if (fieldKind === 'dict' || fieldKind === 'nestedDict') return one(value, options)
  if (options.list === true)
    return Array.isArray(value) && value.every((item) => one(item, options))
  return one(value, options)
}

type Fits = (value: unknown, options: Field['options']) => boolean

const isText: Fits = (value) => typeof value === 'string'
const isNumber: Fits = (value) => typeof value === 'number'
const isAnyObject: Fits = (value) => typeof value === 'object' && value !== null
const isChoice: Fits = (value, { options }) => {
  if (typeof value !== 'string') return false
  return options === undefined || options.length === 0 || options.some((option) => option === value)
}
const isSortable: Fits = (value) =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Object.entries(value).every(
    ([key, item]) => (key === 'name' || key === 'icon') && typeof item === 'string',
  )

const LISTS: ReadonlySet<string> = new Set(['multiselect', 'sortableList', 'table'])
/** Kinds that take any value are not listed. */
const KINDS: Readonly<Record<string, Fits | undefined>> = {
  message: isText,
  text: isText,
  multiline: isText,
  query: isText,
  prompt: isText,
  code: isText,
  stream: isText,
  string: isText,
  secret: isText,
  link: isText,
  file: isText,
  int: isNumber,
  float: isNumber,
  slider: isNumber,
  bool: (value) => typeof value === 'boolean',
  dropdown: isChoice,
  tab: isChoice,
  multiselect: isChoice,
  sortableList: isSortable,
  dict: isAnyObject,
  nestedDict: isAnyObject,
  table: isAnyObject,
}
