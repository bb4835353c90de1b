import { InvalidFilterError, quoteValue } from '../base/errors.ts'
import { ENTERPRISE_URN } from '../schema/enterprise.ts'
import { GROUP_URN } from '../schema/group.ts'
import {
  findPath,
  isNeverShown,
  toAttributePath,
  withValueSub,
  type FoundPath,
  type PathQuirks,
} from '../schema/find-path.ts'
import { findAttribute, type ResourceSchema } from '../schema/registry.ts'
import type { FilterAst, PathAst } from './ast.ts'
import { compileElementFilter } from './compile.ts'
import { allOf, anyOf, assertUndecided, NEVER, negate, type Decision } from './decide.ts'
import { describePath } from './format.ts'
import { comparable } from './literal.ts'
import { decidePseudo, decideSchemas, isSchemas } from './pseudo.ts'
import type { CompareOperator, ResolvedFilter } from './resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'

/** Options for resolving names and literals, and the values of computed attributes. */
export interface ResolveOptions {
  /** Quirk `booleanStrings`. Default true. */
  readonly booleanStrings?: boolean
  /** Tolerances for names. Default: bare names of extension attributes. */
  readonly pathQuirks?: PathQuirks
  /** Treats unknown attributes as absent instead of rejecting them (queries over all types). */
  readonly unknownIsAbsent?: boolean
  /**
   * The base URL. If given, `meta.location` and `$ref` compare as `prefix` + id; otherwise they are read
   * from the resource like any attribute.
   */
  readonly baseUrl?: string
  /** Resources have `meta.version`. Default true. */
  readonly versioned?: boolean
}

const BARE_NAMES: PathQuirks = { unprefixedExtension: true }
const MANAGER_REF = `${ENTERPRISE_URN}:manager.$ref`

type Compare = Extract<FilterAst, { kind: 'compare' }>

/** The scope of names: a resource type, or within brackets a list. */
interface Scope {
  readonly schema: ResourceSchema
  readonly options: ResolveOptions
  readonly element: FoundPath | null
}

/**
 * Resolves the names of a filter and converts its literals. Returns `true` or `false` if the filter is
 * constant for all resources.
 * @throws InvalidFilterError for unknown attributes, unsupported operators or invalid literals
 */
export function resolveFilter(
  ast: FilterAst,
  schema: ResourceSchema,
  options: ResolveOptions = {},
): Decision {
  return resolve(ast, { schema, options, element: null })
}

/**
 * The same for the filter in brackets after a list; `element` is the path of the list.
 * @throws InvalidFilterError
 */
export function resolveElementFilter(
  ast: FilterAst,
  element: FoundPath,
  { schema, options }: { readonly schema: ResourceSchema; readonly options: ResolveOptions },
): Decision {
  return resolve(ast, { schema, options, element: { ...element, sub: null } })
}

function resolve(ast: FilterAst, scope: Scope): Decision {
  switch (ast.kind) {
    case 'and':
      return allOf(ast.terms.map((term) => resolve(term, scope)))
    case 'or':
      return anyOf(ast.terms.map((term) => resolve(term, scope)))
    case 'not':
      return negate(resolve(ast.term, scope))
    case 'present': {
      const found = find(ast.path, scope)
      return found === undefined ? NEVER : resolvePresent(found, ast.path, scope)
    }
    case 'compare':
      return resolveCompare(ast, scope)
    case 'element': {
      const found = find(ast.path, scope)
      return found === undefined ? NEVER : resolveElement(found, ast.path, scope)
    }
  }
}

/** The attribute of a path; undefined if the type lacks it and that is not an error. */
function find(path: PathAst, { schema, options, element }: Scope): FoundPath | undefined {
  const found =
    element === null
      ? findPath(schema, path, options.pathQuirks ?? BARE_NAMES)
      : findSub(element, path)
  if (found !== undefined) assertShown(found, path)
  if (found === undefined && options.unknownIsAbsent !== true) {
    throw new InvalidFilterError(`Unknown attribute ${quoteValue(describePath(path))}.`)
  }
  return found
}

function assertShown(found: FoundPath, path: PathAst): void {
  if (isNeverShown(found)) {
    throw new InvalidFilterError(`${quoteValue(describePath(path))} cannot be used in a filter.`)
  }
}

function findSub(element: FoundPath, path: PathAst): FoundPath | undefined {
  if (path.urn !== null || path.sub !== null) return undefined
  const sub = findAttribute(element.attribute?.subAttributes ?? [], path.name)
  if (sub !== undefined) return { ...element, sub }
  const simple = element.attribute?.type !== 'complex' && path.name.toLowerCase() === 'value'
  return simple ? element : undefined
}

function resolvePresent(found: FoundPath, path: PathAst, scope: Scope): Decision {
  if (isOfResource(path, scope)) {
    const pseudo = decidePseudo(found, scope.schema, null)
    if (pseudo !== undefined) return pseudo
  }
  const target = describe(found, scope)
  if (isUnversioned(target, scope)) return NEVER
  const present: ResolvedFilter = { kind: 'present', path: target }
  if (scope.element !== null || !target.multiValued) return present
  if (path.where !== null) return resolveElement(found, path, scope, present)
  return target.sub === null ? present : elementOf(found, scope, present)
}

function resolveCompare(ast: Compare, scope: Scope): Decision {
  const { path, operator, value } = ast
  if (value === null) return resolveNull(ast, scope)
  const whole = find(path, scope)
  if (whole === undefined) return operator === 'ne'
  const found = withValueSub(whole)
  assertShown(found, path)
  const target = describe(found, scope)
  const isName = isGroupName(target, scope) && (operator === 'eq' || operator === 'ne')
  const sought = isName && typeof value === 'string' ? value.trim() : value
  const literal = comparable(
    { path: target, operator, value: sought },
    scope.options.booleanStrings ?? true,
  )
  if (isOfResource(path, scope)) {
    const pseudo = decidePseudo(found, scope.schema, { operator, literal })
    if (pseudo !== undefined) return pseudo
    if (isUnversioned(target, scope)) return operator === 'ne'
  }
  const compare: ResolvedFilter = { kind: 'compare', path: target, operator, value: literal }
  const single = scope.element !== null || (!target.multiValued && path.where === null)
  return single ? compare : overElements({ found, path, compare, operator }, scope)
}

/** White space at the ends does not distinguish names of groups. */
function isGroupName({ key }: AttributePath, { schema, element }: Scope): boolean {
  return element === null && key === 'displayName' && schema.urn === GROUP_URN
}

/** Returns whether a path refers to a value of the resource itself, not of a list element. */
function isOfResource({ where }: PathAst, { element }: Scope): boolean {
  return where === null && element?.attribute?.multiValued !== true
}

/** Resources have no version while etag is disabled. */
function isUnversioned({ key }: AttributePath, { options }: Scope): boolean {
  return key === 'meta.version' && options.versioned === false
}

/** `eq null` means "not present", `ne null` means "present". */
function resolveNull({ path, operator }: Compare, scope: Scope): Decision {
  if (operator !== 'eq' && operator !== 'ne') {
    throw new InvalidFilterError(`The operator ${operator} cannot be used with null.`)
  }
  const present = resolve({ kind: 'present', path }, scope)
  return operator === 'ne' ? present : negate(present)
}

/**
 * A comparison over a list: true if any element satisfies it; `ne` also if no element has a value.
 */
function overElements(
  comparison: {
    readonly found: FoundPath
    readonly path: PathAst
    readonly compare: Extract<ResolvedFilter, { kind: 'compare' }>
    readonly operator: CompareOperator
  },
  scope: Scope,
): Decision {
  const { found, path, compare, operator } = comparison
  if (operator !== 'ne') return resolveElement(found, path, scope, compare)
  const present: ResolvedFilter = { kind: 'present', path: compare.path }
  const differs = assertUndecided(allOf([present, compare]))
  return anyOf([
    resolveElement(found, path, scope, differs),
    negate(resolveElement(found, path, scope, present)),
  ])
}

/** Some element satisfies the filter in brackets and an optional further condition. */
function resolveElement(
  found: FoundPath,
  path: PathAst,
  scope: Scope,
  condition?: ResolvedFilter,
): Decision {
  if (path.where === null) {
    return condition === undefined ? NEVER : elementOf(found, scope, condition)
  }
  if (
    found.attribute === null ||
    (found.attribute.type !== 'complex' && !found.attribute.multiValued)
  ) {
    throw new InvalidFilterError(`${quoteValue(path.name)} has no elements to filter.`)
  }
  const inner = resolve(path.where, { ...scope, element: { ...found, sub: null } })
  const where = allOf(condition === undefined ? [inner] : [inner, condition])
  if (!found.attribute.multiValued) {
    const whole = { ...found, sub: null }
    return allOf([decidePseudo(whole, scope.schema, null) ?? anyPresent(found, scope), where])
  }
  if (where === false) return false
  if (isSchemas(found)) return decideSchemas(scope.schema, elementTest(where))
  return elementOf(found, scope, where === true ? anyPresent(found, scope) : where)
}

function elementTest(where: Decision): (element: unknown) => boolean {
  return typeof where === 'boolean' ? () => where : compileElementFilter(where)
}

/** True if the attribute has a value. */
function anyPresent(found: FoundPath, scope: Scope): ResolvedFilter {
  return { kind: 'present', path: describe({ ...found, sub: null }, scope) }
}

function elementOf(found: FoundPath, scope: Scope, where: ResolvedFilter): ResolvedFilter {
  return { kind: 'element', path: describe({ ...found, sub: null }, scope), where }
}

function describe(found: FoundPath, { schema, options }: Scope): AttributePath {
  const path = toAttributePath(found)
  return options.baseUrl === undefined ? path : withPrefix(path, schema, options.baseUrl)
}

/** Adds to a path the prefix before the id in a URL that is computed when a resource is shown. */
export function withPrefix(
  path: AttributePath,
  schema: ResourceSchema,
  baseUrl: string,
): AttributePath {
  const prefix = prefixOf(path, schema, baseUrl)
  if (prefix === undefined) return path
  if (path.key !== 'members.$ref') return { ...path, prefix }
  return { ...path, prefix, groupPrefix: `${baseUrl}/Groups/` }
}

function prefixOf(
  path: AttributePath,
  schema: ResourceSchema,
  baseUrl: string,
): string | undefined {
  if (path.key === 'meta.location') return `${baseUrl}${schema.endpoint}/`
  if (path.key === 'groups.$ref') return `${baseUrl}/Groups/`
  if (path.key === 'members.$ref' || path.key === MANAGER_REF) return `${baseUrl}/Users/`
  return undefined
}
