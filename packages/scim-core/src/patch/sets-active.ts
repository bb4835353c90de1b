import { exceedsDepth, isObject } from '@x/wire'
import { memberOf } from '../base/member-of.ts'
import { findAttribute, isCoreUrn, type ResourceSchema } from '../schema/registry.ts'
import type { PatchContext } from './step.ts'

/** Returns whether an operation sets `active`, by its path or in a value without path. */
export function isActivation(
  operation: unknown,
  schema: ResourceSchema,
  context: PatchContext,
): boolean {
  if (!isObject(operation) || findAttribute(schema.attributes, 'active') === undefined) return false
  const path = memberOf(operation, 'path')
  const value = fromText(memberOf(operation, 'value'), context)
  if (typeof path === 'string' && !isCoreUrn(schema, path)) return isActive(path, schema)
  if (!isObject(value)) return false
  return Object.keys(value).some((key) => {
    const inner = value[key]
    if (isActive(key, schema)) return true
    return isCoreUrn(schema, key) && isObject(inner) && memberOf(inner, 'active') !== undefined
  })
}

function isActive(path: string, { urn }: ResourceSchema): boolean {
  const name = path.toLowerCase()
  return name === 'active' || name === `${urn.toLowerCase()}:active`
}

/** A JSON object sent as text; anything else unchanged. */
export function fromText(value: unknown, { limits }: PatchContext): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return value
  if (exceedsDepth(value, limits.jsonDepth)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
