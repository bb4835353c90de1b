import { limitExceeded } from '../errors.ts'
import { ModelError } from './model-error.ts'

/** Maximum length of a vector: more than any embedding model returns, and the limit of collections. */
const MAX_NUMBERS = 16_384
/** Four bytes for each number, four characters of base64 for three bytes, and padding. */
const MAX_CHARACTERS = Math.ceil((MAX_NUMBERS * 4) / 3) * 4

/**
 * Reads a vector from a response: numbers, or base64 of 32-bit floats, little endian.
 * @throws ModelError for anything else; FlowError `limit_exceeded` for over 16,384 numbers
 */
export function readVector(embedding: unknown): number[] {
  const isText = typeof embedding === 'string'
  if (!isText && !Array.isArray(embedding)) {
    const message = 'The answer holds an embedding that is no vector'
    throw new ModelError({ status: null, code: null, message })
  }
  if (embedding.length > (isText ? MAX_CHARACTERS : MAX_NUMBERS)) {
    throw limitExceeded('numbers of a vector', `${MAX_NUMBERS}`)
  }
  return isText ? decode(embedding) : embedding.map(Number)
}

function decode(text: string): number[] {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) =>
    view.getFloat32(index * 4, true),
  )
}
