import type { PathAst } from '../filter/ast.ts'
import { compileElementFilter } from '../filter/compile.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'
import { resolveElementFilter, type ResolveOptions } from '../filter/resolve.ts'
import { invalidPath, quoteValue } from '../base/errors.ts'
import { findPath, type FoundPath } from '../schema/find-path.ts'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { findAttribute, type ResourceSchema } from '../schema/registry.ts'
import type { ReadContext } from '../schema/read-context.ts'
import { describePath } from '../filter/format.ts'

/** Context of PATCH besides the schema. */
export interface PatchContext extends ReadContext {
  readonly requirePatchPath?: boolean
  readonly replaceComplex?: 'merge' | 'whole'
  /** If given, `$ref` can be used in value filters. */
  readonly baseUrl?: string
  /** The resource as shown, for operations that set a readOnly attribute to its value. */
  readonly shown?: () => Readonly<Record<string, unknown>>
}

/** An equality term of a value filter, for elements created from it. */
export interface EqualityTerm {
  readonly sub: AttributeDescriptor
  readonly value: string | number | boolean
}

/** The brackets of a path. */
export interface ValueFilter {
  readonly resolved: ResolvedFilter | boolean
  readonly matches: (element: unknown) => boolean
  /** Number of comparisons per element. */
  readonly terms: number
  /** The terms if the filter is `sub eq literal` joined by `and`; else null. */
  readonly equalities: readonly EqualityTerm[] | null
}

/** The target of an operation. */
export interface PatchTarget extends FoundPath {
  readonly where: ValueFilter | null
  /** As written by the client. */
  readonly path: PathAst
}

/** Formats a target for error details. */
export function targetText({ path }: Pick<PatchTarget, 'path'>): string {
  return quoteValue(describePath(path))
}

/** One operation on one attribute; names are resolved, values not read yet. */
export interface PatchStep {
  readonly op: 'add' | 'replace' | 'remove'
  readonly target: PatchTarget
  /** For `remove`: the elements to remove; undefined means all. */
  readonly value: unknown
}

/**
 * Resolves a path; undefined if the type has no such attribute.
 * @throws ScimError invalidPath for brackets after a single value; InvalidFilterError
 */
export function findTarget(
  path: PathAst,
  schema: ResourceSchema,
  context: PatchContext,
): PatchTarget | undefined {
  const found = findPath(schema, path, context.quirks)
  if (found === undefined) return undefined
  const { extension, attribute, sub } = found
  if (path.where === null) return { extension, attribute, sub, where: null, path }
  if (attribute?.multiValued !== true) {
    throw invalidPath(`${targetText({ path })} puts a filter on an attribute that is not a list.`)
  }
  const where = valueFilter(path, found, { schema, context })
  return { extension, attribute, sub, where, path }
}

function valueFilter(
  path: PathAst,
  found: FoundPath,
  { schema, context }: { readonly schema: ResourceSchema; readonly context: PatchContext },
): ValueFilter | null {
  if (path.where === null) return null
  const options: ResolveOptions = {
    booleanStrings: context.quirks.booleanStrings,
    pathQuirks: context.quirks,
    ...(context.baseUrl !== undefined && { baseUrl: context.baseUrl }),
  }
  const resolved = resolveElementFilter(path.where, found, { schema, options })
  return {
    resolved,
    matches: typeof resolved === 'boolean' ? () => resolved : compileElementFilter(resolved),
    terms: termsOf(path.where),
    equalities: equalities(path.where, found),
  }
}

function termsOf(filter: NonNullable<PathAst['where']>): number {
  if ('terms' in filter) return filter.terms.reduce((sum, term) => sum + termsOf(term), 0)
  return 'term' in filter ? termsOf(filter.term) : 1
}

function equalities(
  where: NonNullable<PathAst['where']>,
  found: FoundPath,
): readonly EqualityTerm[] | null {
  const terms = where.kind === 'and' ? where.terms : [where]
  const result: EqualityTerm[] = []
  for (const term of terms) {
    if (term.kind !== 'compare' || term.operator !== 'eq' || term.value === null) return null
    const sub = findAttribute(found.attribute?.subAttributes ?? [], term.path.name)
    if (sub === undefined) return null
    result.push({ sub, value: term.value })
  }
  return result
}
