/** The data types of RFC 7643 section 2.3. */
export type AttributeType =
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'integer'
  | 'dateTime'
  | 'reference'
  | 'binary'
  | 'complex'

export type Mutability = 'readWrite' | 'readOnly' | 'writeOnly' | 'immutable'
export type Returned = 'default' | 'always' | 'never' | 'request'
export type Uniqueness = 'none' | 'server' | 'global'

/** An attribute with all its characteristics (RFC 7643 section 2.2). */
export interface AttributeDescriptor {
  readonly name: string
  /** Canonical path within the resource: `emails.value`, `urn:...:User:manager.value`. */
  readonly path: string
  readonly type: AttributeType
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: Mutability
  readonly returned: Returned
  readonly uniqueness: Uniqueness
  readonly canonicalValues: readonly string[]
  readonly referenceTypes: readonly string[]
  readonly subAttributes: readonly AttributeDescriptor[]
}

/** An attribute definition. Missing properties have the defaults of RFC 7643 section 2.2. */
export type AttributeInput = Pick<AttributeDescriptor, 'name'> &
  Partial<Omit<AttributeDescriptor, 'name' | 'path' | 'subAttributes'>> & {
    readonly subAttributes?: readonly AttributeInput[]
  }

/**
 * Applies the defaults of RFC 7643 section 2.2 to a definition.
 * @param prefix the part of its path before the name
 */
export function attribute(input: AttributeInput, prefix = ''): AttributeDescriptor {
  const path = `${prefix}${input.name}`
  return {
    type: 'string',
    multiValued: false,
    description: '',
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    canonicalValues: [],
    referenceTypes: [],
    ...input,
    path,
    subAttributes: (input.subAttributes ?? []).map((sub) => attribute(sub, `${path}.`)),
  }
}
