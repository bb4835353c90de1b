import type { Exchange } from './exchange.ts'
import { BodyError } from '../body-error.ts'

/** The bytes of a body the host has already read; throws BodyError if they are lost. */
export function parsedBody({ message, parsed, limit }: Exchange): Uint8Array {
  const kept = parsed.rawBody ?? parsed.body
  const isEmpty = kept === undefined && !message.readableDidRead
  const bytes = isEmpty ? new Uint8Array() : encoded(kept, message.headers['content-type'])
  if (bytes.length > limit) throw new BodyError('body_too_large', limit)
  return bytes
}

function encoded(kept: unknown, type = ''): Uint8Array {
  if (typeof kept === 'string') return Buffer.from(kept)
  if (kept instanceof Uint8Array) return kept
  if (kept === undefined || /^multipart\//i.test(type)) throw new BodyError('body_consumed')
  const isForm = /^application\/x-www-form-urlencoded/i.test(type)
  return Buffer.from(isForm ? new URLSearchParams(fields(kept)).toString() : JSON.stringify(kept))
}

/** The fields of a parsed form: nested ones as `name[key]`, an array of strings as a repeated field. */
function fields(value: unknown, name = ''): [string, string][] {
  if (value === null || value === undefined) return [[name, '']]
  if (typeof value !== 'object') return [[name, `${value as string | number | boolean}`]]
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object')
  return Object.entries(value).flatMap(([key, item]) =>
    fields(item, name === '' ? key : isFlat ? name : `${name}[${key}]`),
  )
}
