import { cloneJson, isPlainObject, setOwn, type JsonObject } from '../json.ts'

/** Merges two documents; later names win. */
export function mergeDocuments(base: JsonObject, over: JsonObject, catalogId: string): JsonObject {
  const merged = cloneJson(base)
  merged.catalogId = catalogId
  if (over.instructions !== undefined) merged.instructions = over.instructions
  for (const part of ['components', 'functions', 'styles', '$defs']) {
    const added = over[part]
    if (!isPlainObject(added)) continue
    const known = merged[part]
    const target: JsonObject = isPlainObject(known) ? known : {}
    for (const [name, schema] of Object.entries(added)) setOwn(target, name, cloneJson(schema))
    merged[part] = target
  }
  return merged
}
