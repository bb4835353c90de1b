import type { AttributePath } from '../schema/attribute-path.ts'

export type CompareOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/**
 * A literal in comparable form: strings are folded unless the path is case-exact; dateTimes are
 * milliseconds since 1970 (possibly with a fraction); binaries are their base64 text.
 */
export type FilterLiteral = string | number | boolean

/** The value compared by a sort, in comparable form; null if the resource has none. */
export type SortKey = FilterLiteral | null

/**
 * A filter a store can translate without knowing schemas.
 *
 * - At the top, `compare` and `present` refer to singular attributes (also `name.familyName`); only `present` may
 *   also refer to a whole list, complex attribute or extension.
 * - Lists are reached by `element`: some element satisfies the whole `where`. The paths in `where`
 *   have the list's name and the sub-attribute; for a list of simple values `sub` is null and means
 *   the element. There is no `element` inside an `element`.
 * - A missing attribute fails every operator but `ne`, which it satisfies.
 * - A value is present when it is neither missing, `""`, an empty list nor an object without
 *   present members.
 * - The pseudo-attributes `schemas` and `meta.resourceType` never occur: they are evaluated earlier.
 *   `meta.version` is the text `W/"n"` of the record's version n.
 */
export type ResolvedFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly ResolvedFilter[] }
  | { readonly kind: 'not'; readonly term: ResolvedFilter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare'
      readonly path: AttributePath
      readonly operator: CompareOperator
      readonly value: FilterLiteral
    }
  | { readonly kind: 'element'; readonly path: AttributePath; readonly where: ResolvedFilter }
