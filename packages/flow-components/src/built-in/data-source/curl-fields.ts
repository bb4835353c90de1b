import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { type NodeTemplate, errorText } from '@x/flow-engine'
import { parseCurl } from './parse-curl.ts'
import { requestUrl } from './request-parts.ts'

const MODE_FIELDS = new Map([
  ['URL', ['url_input', 'method']],
  ['cURL', ['curl_input']],
])

/** Handles a switch between fields and cURL command in the editor. */
export function chooseMode(template: NodeTemplate, mode: unknown): void {
  const { curl_input: command } = template
  if (command !== undefined) command.show = mode === 'cURL'
  if (mode === 'cURL' && typeof command?.value === 'string' && command.value !== '') {
    // An incomplete command must not prevent the mode change.
    try {
      fillFromCurl(template, command.value)
    } catch {}
  }
  for (const [each, names] of MODE_FIELDS) {
    for (const name of names) {
      const changed = template[name]
      if (changed !== undefined) changed.advanced = each !== mode
    }
  }
}

/**
 * Fills in the fields from a command.
 * @throws TypeError for an invalid command
 */
export function fillFromCurl(template: NodeTemplate, command: string): void {
  const { url, method, headers, body } = readCurl(command)
  const values = new Map<string, unknown>([
    ['url_input', url],
    ['method', method],
    ['headers', headers],
    ['body', body],
  ])
  for (const [name, value] of values) {
    const filled = template[name]
    if (filled !== undefined) filled.value = value
  }
}

interface Row {
  readonly key: string
  readonly value: string
}

/**
 * Converts a command to field values.
 * @throws TypeError for an invalid command
 */
export function readCurl(command: string): {
  url: string
  method: string
  headers: Row[]
  body: Row[]
} {
  try {
    const { url, method, headers, body } = parseCurl(command)
    return {
      url: requestUrl(url, {}),
      method,
      headers: headers.map(([key, value]) => ({ key, value })),
      body: body === undefined || body === '' ? [] : bodyRows(body),
    }
  } catch (error) {
    throw new TypeError(`Error parsing curl: ${errorText(error)}`, { cause: error })
  }
}

/**
 * Returns a row for each key of a JSON object; any other body becomes `data`. Strings are used as is, other
 * values as JSON.
 */
function bodyRows(body: string): Row[] {
  let value: unknown
  try {
    value = parseJson(body)
  } catch {
    return [{ key: 'data', value: body }]
  }
  if (!isObject(value)) return [{ key: 'data', value: JSON.stringify(value) }]
  return Object.entries(value).map(([key, item]) => ({
    key,
    value: typeof item === 'string' ? item : JSON.stringify(item),
  }))
}
