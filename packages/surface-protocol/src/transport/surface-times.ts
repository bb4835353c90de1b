import { overlaps, readDataPath } from '../data/data-path.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { isPlainObject } from '../json.ts'
import type { AnyServerMessage } from '../message/any-message.ts'

/** Removals, and written paths of a surface, that are remembered. */
const MAX_REMEMBERED = 1000

/** When surfaces of a channel were created, removed and written, by the numbers of its messages. */
export class SurfaceTimes {
  readonly #created = new Map<string, number>()
  readonly #removed = new Map<string, number>()
  readonly #written = new Map<string, Map<string, number>>()
  /** What happened up to here may be forgotten. */
  #forgotten = 0

  note(number: number, message: AnyServerMessage): void {
    const { createSurface, deleteSurface, updateDataModel } = message as Record<string, unknown>
    const created = idOf(createSurface)
    const deleted = idOf(deleteSurface)
    if (created !== null) {
      this.#written.delete(created)
      this.#set(this.#created, created, number, defaultLimits.surfaces)
    } else if (deleted !== null) {
      this.#created.delete(deleted)
      this.#written.delete(deleted)
      this.#set(this.#removed, deleted, number, MAX_REMEMBERED)
    } else if (isPlainObject(updateDataModel)) {
      const id = idOf(updateDataModel)
      if (id === null) return
      const { path = '/' } = updateDataModel
      const known = this.#written.get(id) ?? new Map<string, number>()
      if (path === '/' || path === '') known.clear()
      this.#written.set(id, known)
      this.#set(known, String(path), number, MAX_REMEMBERED)
    }
  }

  /** False if what happened since a message is not known any more. */
  knows(number: number): boolean {
    return number >= this.#forgotten
  }

  /** Whether a surface was there at a message and was not created again since. */
  isKept(surfaceId: string, since: number): boolean {
    return (this.#created.get(surfaceId) ?? Infinity) <= since
  }

  removedSince(number: number): string[] {
    return [...this.#removed].flatMap(([id, at]) => (at > number ? [id] : []))
  }

  /** The paths that were written since a message. */
  writtenSince(surfaceId: string, number: number): (readonly string[])[] {
    const known = this.#written.get(surfaceId) ?? []
    return [...known].flatMap(([path, at]) =>
      at > number ? [readDataPath(path)?.segments ?? []] : [],
    )
  }

  #set(map: Map<string, number>, key: string, number: number, maximum: number): void {
    map.delete(key)
    map.set(key, number)
    const [oldest] = map
    if (map.size <= maximum || oldest === undefined) return
    map.delete(oldest[0])
    this.#forgotten = Math.max(this.#forgotten, oldest[1])
  }
}

/** Whether a location or one around or within it was written. */
export function isWritten(
  location: readonly string[],
  written: readonly (readonly string[])[],
): boolean {
  return written.some((path) => overlaps(path, location))
}

/** Remembers a surface that subscribers may know; only the latest ones are kept. */
export function noteSurface(message: AnyServerMessage, seen: Set<string>): void {
  for (const payload of Object.values(message) as unknown[]) {
    const surfaceId = isPlainObject(payload) ? payload.surfaceId : undefined
    if (typeof surfaceId !== 'string') continue
    seen.delete(surfaceId)
    seen.add(surfaceId)
  }
  const [oldest] = seen
  if (seen.size > defaultLimits.surfaces && oldest !== undefined) seen.delete(oldest)
}

function idOf(payload: unknown): string | null {
  const id = isPlainObject(payload) ? payload.surfaceId : undefined
  return typeof id === 'string' ? id : null
}
