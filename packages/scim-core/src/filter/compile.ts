import { fold } from '../base/fold.ts'
import type { ScimDocument } from '../base/document.ts'
import { parseInstant } from '../schema/instant.ts'
import { textTest } from './compare.ts'
import type { CompareOperator, ResolvedFilter, SortKey } from './resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'

type Test = (value: unknown) => boolean

/** Compiles a resolved filter to a predicate over resources in canonical spelling. */
export function compileFilter(filter: ResolvedFilter): (resource: ScimDocument) => boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(filter.kind, filter.terms.map(compileFilter))
    case 'not': {
      const test = compileFilter(filter.term)
      return (resource) => !test(resource)
    }
    case 'present': {
      const read = reader(filter.path)
      return (resource) => isPresent(read(resource))
    }
    case 'compare': {
      const read = reader(filter.path)
      const test = compileCompare(filter)
      return (resource) => test(read(resource))
    }
    case 'element': {
      const read = reader(filter.path)
      const test = compileElementFilter(filter.where)
      return (resource) => {
        const list = read(resource)
        return Array.isArray(list) && list.some(test)
      }
    }
  }
}

/** The sort key of an attribute; for a list, that of its primary or first element. */
export function sortKey(resource: ScimDocument, path: AttributePath): SortKey {
  const container = path.urn === null ? resource : property(resource, path.urn)
  let value = path.name === '' ? container : property(container, path.name)
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    value = list.find((element) => property(element, 'primary') === true) ?? list[0]
  }
  if (path.prefix !== undefined) return prefixed(path, resource, value) ?? null
  return comparableValue(path, path.sub === null ? value : property(value, path.sub))
}

/**
 * Returns whether a value counts as present for `pr`: not null, `""`, `[]`, or an object without present
 * members.
 */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  if (typeof value !== 'object' || value instanceof Date) return true
  return Object.values(value).some(isPresent)
}

/** Compiles the `where` of an `element` filter to a predicate over elements. */
export function compileElementFilter(where: ResolvedFilter): Test {
  switch (where.kind) {
    case 'and':
    case 'or':
      return joined(where.kind, where.terms.map(compileElementFilter))
    case 'not': {
      const test = compileElementFilter(where.term)
      return (element) => !test(element)
    }
    case 'present': {
      const read = elementReader(where.path)
      return (element) => isPresent(read(element))
    }
    case 'compare': {
      const read = elementReader(where.path)
      const test = compileCompare(where)
      return (element) => test(read(element))
    }
    case 'element':
      throw new TypeError('Value filters cannot be nested')
  }
}

/** Combines tests with `and` or `or`, evaluated in order. */
function joined<T>(
  kind: 'and' | 'or',
  tests: readonly ((value: T) => boolean)[],
): (value: T) => boolean {
  const settles = kind === 'or'
  return (value) => {
    for (const test of tests) if (test(value) === settles) return settles
    return !settles
  }
}

function compileCompare({
  path,
  operator,
  value: literal,
}: Extract<ResolvedFilter, { kind: 'compare' }>): Test {
  const missing = operator === 'ne'
  if (typeof literal === 'string') {
    const test = textTest(operator, literal)
    if (path.type === 'string' || path.type === 'reference') {
      const { caseExact } = path
      return (raw) => (typeof raw === 'string' ? test(caseExact ? raw : fold(raw)) : missing)
    }
    return (raw) => {
      const value = comparableValue(path, raw)
      return typeof value === 'string' ? test(value) : missing
    }
  }
  return (raw) => {
    const value = comparableValue(path, raw)
    return value === null ? missing : compareOrder(value, operator, literal)
  }
}

function compareOrder(
  value: string | number | boolean,
  operator: CompareOperator,
  literal: number | boolean,
): boolean {
  switch (operator) {
    case 'eq':
      return value === literal
    case 'ne':
      return value !== literal
    case 'gt':
      return value > literal
    case 'ge':
      return value >= literal
    case 'lt':
      return value < literal
    case 'le':
      return value <= literal
    default:
      return false
  }
}

/** A stored value in comparable form; null if it has another type. */
function comparableValue({ type, caseExact }: AttributePath, value: unknown): SortKey {
  if (value instanceof Date) return value.getTime()
  switch (type) {
    case 'string':
    case 'reference':
      if (typeof value !== 'string') return null
      return caseExact ? value : fold(value)
    case 'binary':
      return typeof value === 'string' ? value : null
    case 'dateTime':
      return typeof value === 'string' ? parseInstant(value) : null
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'complex':
      return null
  }
}

/** Reads the value of a path outside brackets. */
function reader(path: AttributePath): (resource: ScimDocument) => unknown {
  const { urn, name, sub } = path
  if (path.prefix !== undefined && !path.multiValued) {
    return (resource) =>
      prefixed(path, resource, property(urn === null ? resource : property(resource, urn), name))
  }
  if (urn !== null) {
    if (name === '') return (resource) => resource[urn]
    if (sub === null || path.multiValued) return (resource) => property(resource[urn], name)
    return (resource) => property(property(resource[urn], name), sub)
  }
  if (sub === null || path.multiValued) return (resource) => resource[name]
  return (resource) => property(resource[name], sub)
}

/** Reads the value of a path inside brackets. */
function elementReader(path: AttributePath): (element: unknown) => unknown {
  const { sub } = path
  if (sub === null) return (element) => element
  if (path.prefix !== undefined) return (element) => prefixed(path, {}, element)
  return (element) => property(element, sub)
}

/** A computed URL: its prefix followed by the id it ends with. */
function prefixed(path: AttributePath, resource: ScimDocument, value: unknown): string | undefined {
  const id = path.key === 'meta.location' ? resource['id'] : property(value, 'value')
  if (typeof id !== 'string') return undefined
  if (path.urn !== null && property(value, '$ref') === undefined) return undefined
  const isGroup = path.groupPrefix !== undefined && property(value, 'type') === 'Group'
  return `${(isGroup ? path.groupPrefix : path.prefix) ?? ''}${id}`
}

/** Reads a member of a value that may not be an object. */
function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
