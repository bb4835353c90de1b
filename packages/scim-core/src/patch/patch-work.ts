import { isObject } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { elementKey, type StoredValue } from '../schema/read-value.ts'

/** The cost limit of one request's operations (AB-88), with what they have learnt about elements. */
export interface PatchWork {
  /** @throws ScimError tooMany when all together cost more than `patchComparisons` */
  spend(comparisons: number): void
  /** The same for elements that are equal. Elements are replaced, never changed. */
  keyOf(attribute: AttributeDescriptor, element: StoredValue): string
  /** Number of comparisons that one with this element counts for, by the length of its texts. */
  weightOf(attribute: AttributeDescriptor, element: StoredValue): number
}

/** Characters that cost about as much as one comparison. */
const CHARACTERS = 32

export function createPatchWork(patchComparisons: number): PatchWork {
  // Many operations look at the same long list, most of whose elements they leave as they are.
  const keys = new WeakMap<object, string>()
  let left = patchComparisons

  const keyOf = (attribute: AttributeDescriptor, element: StoredValue): string => {
    if (!isObject(element)) return elementKey(attribute, element)
    const known = keys.get(element)
    if (known !== undefined) return known
    const key = elementKey(attribute, element)
    keys.set(element, key)
    return key
  }
  return {
    keyOf,
    weightOf: (attribute, element) => 1 + keyOf(attribute, element).length / CHARACTERS,
    spend(comparisons) {
      left -= comparisons
      if (left >= 0) return
      throw new ScimError(
        'too_many',
        `The operations compare more than ${patchComparisons} values. Send fewer operations in a request.`,
      )
    },
  }
}
