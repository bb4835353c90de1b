import { isObject } from '@x/wire'

const WIDTH = 120

/** JSON with two spaces, in which what fits stands on one line. */
export function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value) ?? 'null'
  if (indent.length + line.length <= WIDTH || (!Array.isArray(value) && !isObject(value)))
    return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + compactJson(item, inner))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const items = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${inner}${JSON.stringify(key)}: ${compactJson(item, inner)}`)
  return `{\n${items.join(',\n')}\n${indent}}`
}
