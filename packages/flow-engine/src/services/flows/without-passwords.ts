import { isObject } from '@x/wire'

/** A stored graph with empty password fields, including those of grouped nodes (DR-60). */
export function withoutPasswords(data: string | null): string | null {
  if (data === null || !data.includes('"password"')) return data
  return JSON.stringify(emptied(JSON.parse(data)))
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied)
  if (!isObject(value)) return value
  const isPassword = value['password'] === true && Object.hasOwn(value, 'value')
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      isPassword && key === 'value' ? [key, ''] : [key, emptied(inner)],
    ),
  )
}
