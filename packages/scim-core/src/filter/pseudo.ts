import { fold } from '../base/fold.ts'
import { toAttributePath, type FoundPath } from '../schema/find-path.ts'
import type { ResourceSchema } from '../schema/registry.ts'
import { anyOf, type Decision } from './decide.ts'
import { textTest } from './compare.ts'
import type { CompareOperator, FilterLiteral } from './resolved.ts'

/**
 * Evaluates comparisons of attributes determined by the resource type: `schemas` and `meta.resourceType`.
 * @param comparison null tests presence
 * @returns undefined for all other attributes
 */
export function decidePseudo(
  found: FoundPath,
  schema: ResourceSchema,
  comparison: { readonly operator: CompareOperator; readonly literal: FilterLiteral } | null,
): Decision | undefined {
  if (found.extension !== null || found.attribute === null) return undefined
  const isType = found.attribute.name === 'meta' && found.sub?.name === 'resourceType'
  const isMeta = found.attribute.name === 'meta' && found.sub === null
  if (!isSchemas(found) && !isType && !isMeta) return undefined
  if (comparison === null) return true
  const test = textTest(comparison.operator, String(comparison.literal))
  if (isType) return test(schema.resourceType)
  return decideSchemas(schema, (text) => test(fold(text)))
}

/** Returns whether a path refers to `schemas`. */
export function isSchemas({ extension, attribute }: FoundPath): boolean {
  return extension === null && attribute?.name === 'schemas'
}

/** True if some URN in `schemas` passes a test: that of the type, or of an extension with data. */
export function decideSchemas(schema: ResourceSchema, test: (urn: string) => boolean): Decision {
  return anyOf([
    test(schema.urn),
    ...schema.extensions
      .filter(({ urn }) => test(urn))
      .map((extension): Decision => ({
        kind: 'present',
        path: toAttributePath({ extension, attribute: null, sub: null }),
      })),
  ])
}
