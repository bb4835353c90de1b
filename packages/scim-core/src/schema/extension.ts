import type { AttributeInput } from './attribute.ts'

/** A schema extension of one resource type (RFC 7643 section 3.3). */
export interface ScimExtension {
  readonly urn: string
  readonly name: string
  readonly description: string
  /** `User` or `Group`. */
  readonly resourceType: string
  /** True if every resource of the type must have the extension. */
  readonly required: boolean
  readonly attributes: readonly AttributeInput[]
}
