import { ScimConfigError } from '../base/errors.ts'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { COMMON_ATTRIBUTES, type ResourceSchemas } from '../schema/registry.ts'

/**
 * The paths of the option `schemaOmit`, in lower case.
 * @throws ScimConfigError for a path without an attribute, and for a required attribute
 */
export function readSchemaOmit(
  paths: readonly string[] = [],
  schemas: ResourceSchemas,
): ReadonlySet<string> {
  const known = new Map<string, AttributeDescriptor>()
  const add = (attributes: readonly AttributeDescriptor[]): void => {
    for (const one of attributes) {
      known.set(one.path.toLowerCase(), one)
      add(one.subAttributes)
    }
  }
  if (paths.length > 0) {
    add(COMMON_ATTRIBUTES.filter(({ name }) => name === 'externalId'))
    for (const { attributes, extensions } of Object.values(schemas)) {
      add(attributes)
      for (const extension of extensions) add(extension.attributes)
    }
  }
  const keys = paths.map((path) => path.toLowerCase())
  const wrong = keys.findIndex((key) => known.get(key)?.required !== false)
  if (wrong === -1) return new Set(keys)
  const what = known.has(keys[wrong] ?? '') ? 'is required' : 'is no attribute'
  throw new ScimConfigError('schemaOmit', `schemaOmit: ${String(paths[wrong])} ${what}`)
}
