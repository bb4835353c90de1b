import { isPlainObject, type JsonObject } from '../json.ts'
import type { BlockReaderOptions } from './block-reader-options.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { parseClean } from './repair-json.ts'
import type { Place } from './text-place.ts'
import { unwrapMessages } from './unwrap-messages.ts'

/** Finds the components of an `updateComponents` message that is still arriving as plain JSON. */
export class ArrivingComponents {
  /** How far the message was looked at. */
  #at = 0
  #depth = 0
  #inString = false
  /** Where the component begins that is read. */
  #from = -1
  /** The message with an empty list; null before the list, undefined if there is none. */
  #envelope: { version: unknown; payload: JsonObject } | null | undefined = null
  /** The components that were handed out, as JSON. */
  readonly #given = new Set<string>()

  /** The parts, of one right component each, that closed with the text so far. */
  parts(
    message: string,
    { version, validate }: Pick<BlockReaderOptions, 'version' | 'validate'>,
    place: Place,
  ): ExtractedPart[] {
    const parts: ExtractedPart[] = []
    for (const value of this.#read(message)) {
      for (const { message: named, repairs } of unwrapMessages(value, { repairs: [], version })) {
        const part = validate({ kind: 'message', message: named, repairs, partial: true }, place)
        if (part.kind !== 'message') continue
        const [component] = componentsOf(value.updateComponents)
        this.#given.add(JSON.stringify(component))
        parts.push(part)
      }
    }
    return parts
  }

  /** The part of the whole message without what was handed out; none if nothing is left. */
  rest(part: ExtractedPart): ExtractedPart[] {
    if (part.kind !== 'message' || !isPlainObject(part.message) || this.#given.size === 0)
      return [part]
    const payload = part.message.updateComponents
    const left = componentsOf(payload).filter((one) => !this.#given.has(JSON.stringify(one)))
    if (left.length === 0 || !isPlainObject(payload)) return []
    const updateComponents = { ...payload, components: left }
    return [{ ...part, message: { ...part.message, updateComponents } }]
  }

  /** The messages, of one component each, that closed with the text so far. */
  #read(message: string): JsonObject[] {
    const found: JsonObject[] = []
    for (; this.#envelope !== undefined && this.#at < message.length; this.#at += 1) {
      const char = message.charAt(this.#at)
      if (this.#inString) {
        if (char === '"') this.#inString = false
        else if (char !== '\\') continue
        else if (this.#at + 1 === message.length) break
        else this.#at += 1
      } else if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') this.#open(message)
      else if (char === '}' || char === ']') this.#close(message, found)
    }
    return found
  }

  #open(message: string): void {
    this.#depth += 1
    if (this.#depth === 3 && this.#envelope === null) {
      this.#envelope = envelopeOf(message.slice(0, this.#at + 1))
    } else if (this.#depth === 4) this.#from = this.#at
  }

  #close(message: string, found: JsonObject[]): void {
    this.#depth -= 1
    if (this.#depth < 3) this.#envelope = undefined
    if (this.#depth !== 3 || this.#envelope === null || this.#envelope === undefined) return
    const component = parseClean(message.slice(this.#from, this.#at + 1))
    // What needs a repair waits for the end of the message.
    if (!isPlainObject(component)) this.#envelope = undefined
    else {
      const { version, payload } = this.#envelope
      const updateComponents = { ...payload, components: [component] }
      found.push({ ...(version === undefined ? {} : { version }), updateComponents } as JsonObject)
    }
  }
}

function componentsOf(payload: unknown): unknown[] {
  return isPlainObject(payload) && Array.isArray(payload.components) ? payload.components : []
}

/** What stands around the list of components; undefined if the message is another. */
function envelopeOf(begun: string): { version: unknown; payload: JsonObject } | undefined {
  const message = parseClean(`${begun}]}}`)
  if (!isPlainObject(message)) return undefined
  const { version, updateComponents: payload } = message
  const isBegun =
    isPlainObject(payload) &&
    typeof payload.surfaceId === 'string' &&
    Array.isArray(payload.components)
  return isBegun ? { version, payload } : undefined
}
