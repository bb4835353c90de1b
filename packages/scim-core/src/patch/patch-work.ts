import { isObject } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { elementKey } from '../schema/read-value.ts'
import type { StoredValue } from '../schema/stored-value.ts'

/** The cost budget of a request's operations, with cached facts about elements. */
export interface PatchWork {
  /** @throws ScimError tooMany if the total exceeds `patchComparisons` */
  spend(comparisons: number): void
  /** Equal for equal elements. Elements are replaced, never modified, so keys can be cached. */
  keyOf(attribute: AttributeDescriptor, element: StoredValue): string
  /** The cost of a comparison with this element in units, by the length of its strings. */
  weightOf(attribute: AttributeDescriptor, element: StoredValue): number
}

/** Characters that cost about as much as one comparison. */
const CHARACTERS = 32

export function createPatchWork(patchComparisons: number): PatchWork {
  // Many operations scan the same long list and leave most of its elements unchanged.
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
