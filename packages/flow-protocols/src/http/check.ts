import { isObject } from '@x/wire'
import { invalid } from './door-error.ts'

/** Checks of the members of a request; each names the member in its error. */
export function asObject(value: unknown, name: string): Record<string, unknown> {
  if (!isObject(value) || Array.isArray(value)) throw invalid(`${name} must be an object`)
  return value
}

export function asList(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${name} must be an array`)
  if (value.length > most) throw invalid(`${name} must have at most ${most} entries`)
  return value
}

export function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalid(`${name} must be a string`)
  if (/\p{Surrogate}/u.test(value)) throw invalid(`${name} must be valid Unicode`)
  return value
}

export function asOptionalText(value: unknown, name: string): string | undefined {
  return value === undefined || value === null ? undefined : asText(value, name)
}

const MAX_ID = 256

/** An id that becomes a session: 1 to 256 characters without control characters. */
export function asId(value: unknown, name: string): string {
  const id = asText(value, name)
  if (id === '' || id.length > MAX_ID || /\p{Cc}/u.test(id))
    throw invalid(`${name} must have 1 to ${MAX_ID} characters, without control characters`)
  return id
}
