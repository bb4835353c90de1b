import type { AttributeType } from './attribute.ts'

/** An attribute or sub-attribute of a resource type, resolved in its schema. */
export interface AttributePath {
  /**
   * Canonical spelling, usable as a key: `userName`, `name.familyName`, `emails.value`,
   * `meta.created`, `members.value`, `urn:...:User:manager.value`; of a whole extension its URN.
   */
  readonly key: string
  /** The extension that contains the attribute; null for core attributes. */
  readonly urn: string | null
  /** Attribute name; empty for a whole extension. */
  readonly name: string
  readonly sub: string | null
  readonly type: AttributeType
  /** False: strings are compared folded. */
  readonly caseExact: boolean
  /** True if the attribute `name` is a list. */
  readonly multiValued: boolean
  /**
   * For `meta.location` and `$ref` of members, groups and manager, which are computed: the value is this
   * prefix followed by the id (of the resource, or the reference's `value`).
   */
  readonly prefix?: string
  /** For `$ref` of members: the prefix if the member is a group. */
  readonly groupPrefix?: string
}
