import type { AttributeType } from '../schema/attribute.ts'

export type CompareOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/**
 * A literal made comparable: a string is folded unless the path is case-exact; a dateTime is its
 * instant in milliseconds since 1970 (with a fraction where it has one); binary is its base64 text.
 */
export type FilterLiteral = string | number | boolean

/** What a sort compares: made comparable like a literal; null: the resource has no value. */
export type SortKey = FilterLiteral | null

/** An attribute or sub-attribute of a resource type, found in its schema. */
export interface AttributePath {
  /**
   * Canonical spelling, usable as a key: `userName`, `name.familyName`, `emails.value`,
   * `meta.created`, `members.value`, `urn:...:User:manager.value`; of a whole extension its URN.
   */
  readonly key: string
  /** The extension that holds the attribute; null for attributes of the core schema. */
  readonly urn: string | null
  /** Attribute name; empty for a whole extension. */
  readonly name: string
  readonly sub: string | null
  readonly type: AttributeType
  /** False: strings are compared folded. */
  readonly caseExact: boolean
  /** Whether the attribute `name` holds a list. */
  readonly multiValued: boolean
  /**
   * Of `meta.location` and `$ref` of members, groups and manager, which are not stored: the value is
   * this text followed by the id (of the resource, or the `value` of the reference).
   */
  readonly prefix?: string
  /** Of `$ref` of members: the prefix of a member that is a group. */
  readonly groupPrefix?: string
}

/**
 * A filter a store can translate without knowing schemas (SC-84).
 *
 * - `compare` and `present` at the top stand on singular attributes (`name.familyName` too); only
 *   `present` may also stand on a whole list, complex attribute or extension.
 * - Lists are reached by `element`: some element satisfies the whole `where`. The paths in `where`
 *   have the list's name and the sub-attribute; for a list of simple values `sub` is null and stands
 *   for the element. There is no `element` inside an `element`.
 * - A missing attribute fails every operator but `ne`, which it satisfies.
 * - A value is present when it is neither missing, `""`, an empty list nor an object without
 *   present members.
 * - The pseudo-attributes `schemas` and `meta.resourceType` never occur: they are decided before.
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
