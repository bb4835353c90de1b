import { isObject } from '@x/wire'

/** A file of a recording: JSON with two spaces and sorted keys. */
export function formatRecorded(value: unknown): string {
  return `${JSON.stringify(sortedKeys(value), null, 2)}\n`
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isObject(value)) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key])]))
}
