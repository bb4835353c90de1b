import { readText } from '@x/wire'

const BODY_BYTES = 65_536

/** An arbitrary JSON object. */
export type AdminBody = Readonly<Record<string, unknown>>

/** The JSON object of a request; empty without a body. @throws TypeError */
export async function readAdminBody(request: Request): Promise<AdminBody> {
  const text = await textOf(request)
  if (text.trim() === '') return {}
  const body = parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new TypeError('The body must be a JSON object')
  }
  return body as AdminBody
}

async function textOf(request: Request): Promise<string> {
  try {
    return await readText(request, BODY_BYTES, { fatal: true })
  } catch {
    throw new TypeError(`The body must be a string of at most ${BODY_BYTES} bytes`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('The body is not JSON')
  }
}

/** A time in a body or query; undefined if absent. @throws TypeError */
export function readAdminTime(name: string, value: unknown): Date | undefined {
  if (value === undefined || value === null) return undefined
  const at = new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(at.getTime())) throw new TypeError(`${name} must be a time, as in RFC 3339`)
  return at
}

const YEAR_SECONDS = 31_536_000

/** A duration of up to a year in seconds; undefined if absent. @throws TypeError */
export function readAdminSeconds(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && value >= 0 && value <= YEAR_SECONDS) return value
  throw new TypeError(`${name} must be a number of seconds from 0 to ${YEAR_SECONDS}`)
}
