import { append, isObject, own, ownText } from '@x/wire'
import { edgesOf } from './flow-edges.ts'
import { isSecretField, isVariableName } from './secret-values.ts'
import { nodesOf, oneLine, shownValue, titleOf } from './flow-difference.ts'

/** A flow as text, for `git diff`: nodes with their values, then edges; no positions, code or secrets. */
export function flowText(flow: unknown): string {
  const name = isObject(flow) ? (ownText(flow, 'name') ?? '') : ''
  const lines = [oneLine(name)]
  for (const [id, node] of nodesOf(flow)) {
    lines.push('', titleOf(node, id))
    for (const [field, json] of Object.entries(node.template)) {
      if (!isObject(json) || field === 'code') continue
      const value = own(json, 'value')
      const isBlank = value === undefined || value === null || value === '' || value === false
      const isEmpty = isObject(value) && Object.keys(value).length === 0
      if (isBlank || isEmpty || (Array.isArray(value) && value.length === 0)) continue
      append(lines, valueLines(field, json, value))
    }
  }
  lines.push('')
  append(
    lines,
    edgesOf(flow).map(({ text }) => oneLine(text)),
  )
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function valueLines(
  field: string,
  json: Readonly<Record<string, unknown>>,
  value: unknown,
): string[] {
  const isSecret = isSecretField(json)
  if (isSecret && !isVariableName(json)) return [`  ${oneLine(field)}: secret`]
  if (own(json, 'load_from_db') === true)
    return [`  ${oneLine(field)}: variable ${oneLine(String(value))}`]
  const text = shownValue(value)
  if (!text.includes('\n')) return [`  ${oneLine(field)}: ${text}`]
  return [`  ${oneLine(field)}:`, ...text.split('\n').map((line) => `    ${line}`)]
}
