import {
  arrayIndex,
  isContainer,
  member,
  valueAt,
  type DataContainer,
  type DataMap,
  type DataValue,
} from './data-value.ts'

/** A location set by a message. */
export interface DataChange {
  /** The location of the container. */
  readonly parent: readonly string[]
  /** Null if the whole model was replaced. */
  readonly key: string | null
  /** The previous value; undefined if there was none. */
  readonly before: DataValue | undefined
  /** True if the value was removed. */
  readonly removed?: boolean
}

interface Write extends DataChange {
  readonly container: DataContainer | null
  readonly size: number
  readonly entries: number
}

/** The location of a change. */
export function changeLocation({ parent, key }: DataChange): readonly string[] {
  return key === null ? parent : [...parent, key]
}

const NO_SEGMENTS: readonly string[] = Object.freeze([])

/** The data of a surface. Writes can be undone until they are committed. */
export class DataModel {
  #root: DataMap = new Map()
  #size = 8
  #entries = 0
  #writes: Write[] = []
  #overwritten: (readonly string[])[] = []
  /** Writes of committed messages, while they can still be taken back. */
  #held: Write[] | null = null
  /** The order of keys of maps that lost one since `hold`. */
  readonly #orders = new Map<DataMap, readonly string[]>()

  get root(): DataMap {
    return this.#root
  }

  /** Size as the limits count it, updated with every write. */
  get size(): number {
    return this.#size
  }

  /** Number of entries on all levels. */
  get entries(): number {
    return this.#entries
  }

  /** Locations written since the last commit, in order. */
  get changes(): readonly DataChange[] {
    return this.#writes
  }

  /** Locations since the last commit where a map replaced a scalar. */
  get overwritten(): readonly (readonly string[])[] {
    return this.#overwritten
  }

  /** Replaces the whole model. */
  replace(root: DataMap): void {
    this.#note({ parent: NO_SEGMENTS, key: null, container: null, before: this.#root })
    this.#root = root
    this.#size = 0
    this.#entries = 0
    this.#count(root, 1)
  }

  /** The container at `segments`, created if missing; null if an array has no such index. */
  reach(segments: readonly string[]): DataContainer | null {
    let container: DataContainer = this.#root
    for (let depth = 0; depth < segments.length; depth += 1) {
      const segment = segments[depth] ?? ''
      const next = member(container, segment)
      if (isContainer(next)) {
        container = next
        continue
      }
      const made: DataMap = new Map()
      const parent = segments.slice(0, depth)
      if (!this.write(container, { parent, key: segment, value: made })) return null
      if (next !== undefined) this.#overwritten.push([...parent, segment])
      container = made
    }
    return container
  }

  /** Sets a key of a container; false if it is an array without such an index. */
  write(
    container: DataContainer,
    { parent, key, value }: { parent: readonly string[]; key: string; value: DataValue },
  ): boolean {
    if (!accepts(container, key)) return false
    const before = member(container, key)
    this.#note({ parent, key, container, before })
    if (before === undefined) {
      if (container instanceof Map) this.#size += key.length
      this.#entries += 1
    } else this.#count(before, -1)
    this.#count(value, 1)
    put(container, key, value)
    return true
  }

  /** Sets a location; false if an array has no such index. */
  set(segments: readonly string[], value: DataValue): boolean {
    const parent = segments.slice(0, -1)
    const container = this.reach(parent)
    return (
      container !== null && this.write(container, { parent, key: segments.at(-1) ?? '', value })
    )
  }

  /**
   * Sets a location by the rules of version 0.9.1: missing containers are created, as arrays if an
   * index follows; an index beyond the end of an array pads it with null.
   * @param maximumGap how far beyond the end an index may be
   */
  place(
    segments: readonly string[],
    value: DataValue,
    maximumGap: number,
  ): 'placed' | 'conflict' | 'gap' {
    let container: DataContainer = this.#root
    for (let depth = 0; depth < segments.length; depth += 1) {
      const key = segments[depth] ?? ''
      const isLast = depth === segments.length - 1
      if (!isLast) {
        const next = member(container, key)
        if (isContainer(next)) {
          container = next
          continue
        }
        if (next !== undefined && next !== null) return 'conflict'
      }
      const parent = segments.slice(0, depth)
      const gap = this.#fillUp(container, parent, { key, maximumGap })
      if (gap !== 'placed') return gap
      if (isLast) {
        this.write(container, { parent, key, value })
        break
      }
      const made: DataContainer = arrayIndex(segments[depth + 1] ?? '') === null ? new Map() : []
      this.write(container, { parent, key, value: made })
      container = made
    }
    return 'placed'
  }

  #fillUp(
    container: DataContainer,
    parent: readonly string[],
    { key, maximumGap }: { key: string; maximumGap: number },
  ): 'placed' | 'conflict' | 'gap' {
    if (container instanceof Map) return 'placed'
    const index = arrayIndex(key)
    if (index === null) return 'conflict'
    if (index - container.length > maximumGap) return 'gap'
    while (container.length < index) {
      this.write(container, { parent, key: String(container.length), value: null })
    }
    return 'placed'
  }

  /** Removes a location: an object's key is deleted, an array's item becomes null. */
  removeAt(segments: readonly string[]): void {
    const parent = segments.slice(0, -1)
    const key = segments.at(-1) ?? ''
    const container = valueAt(this.#root, parent)
    const before = member(container, key)
    if (before === undefined || !isContainer(container)) return
    if (Array.isArray(container)) {
      this.write(container, { parent, key, value: null })
      return
    }
    this.#note({ parent, key, container, before, removed: true })
    if (this.#held !== null && !this.#orders.has(container)) {
      this.#orders.set(container, [...container.keys()])
    }
    this.#count(before, -1)
    this.#size -= key.length
    this.#entries -= 1
    container.delete(key)
  }

  commit(): void {
    if (this.#held !== null) for (const write of this.#writes) this.#held.push(write)
    this.#clear()
  }

  rollback(): void {
    for (let i = this.#writes.length - 1; i >= 0; i -= 1) this.#undo(this.#writes[i])
    this.#clear()
  }

  /** From now on, what is committed can be taken back. */
  hold(): void {
    this.#held = []
  }

  /** Takes back everything since `hold`, the order of keys included. */
  restore(): void {
    this.rollback()
    for (const write of (this.#held ?? []).toReversed()) this.#undo(write)
    this.#held = null
    for (const [map, keys] of this.#orders) {
      const values = new Map(map)
      map.clear()
      for (const key of keys) if (values.has(key)) map.set(key, values.get(key) ?? null)
    }
    this.#orders.clear()
  }

  #clear(): void {
    if (this.#writes.length > 0) this.#writes = []
    if (this.#overwritten.length > 0) this.#overwritten = []
  }

  #undo(write: Write | undefined): void {
    if (write === undefined) return
    const { container, key, before, size, entries } = write
    if (container === null || key === null) {
      if (before instanceof Map) this.#root = before
    } else if (before === undefined) remove(container, key)
    else put(container, key, before)
    this.#size = size
    this.#entries = entries
  }

  #note(change: DataChange & { readonly container: DataContainer | null }): void {
    const { parent, key, container, before, removed = false } = change
    const size = this.#size
    const entries = this.#entries
    // Written out, because spreading the change costs more than the rest of a write.
    const write: Write = { parent, key, before, removed, container, size, entries }
    // Most messages write once: a literal uses less memory than a growing array.
    if (this.#writes.length === 0) this.#writes = [write]
    else this.#writes.push(write)
  }

  #count(value: DataValue, sign: 1 | -1): void {
    this.#size += sign * 8
    if (typeof value === 'string') this.#size += sign * value.length
    else if (value instanceof Map) {
      this.#entries += sign * value.size
      for (const [key, item] of value) {
        this.#size += sign * key.length
        this.#count(item, sign)
      }
    } else if (Array.isArray(value)) {
      this.#entries += sign * value.length
      for (const item of value) this.#count(item, sign)
    }
  }
}

/** Returns whether a container accepts a key: arrays accept indexes up to their length. */
function accepts(container: DataContainer, key: string): boolean {
  if (container instanceof Map) return true
  const index = arrayIndex(key)
  return index !== null && index <= container.length
}

function put(container: DataContainer, key: string, value: DataValue): void {
  if (container instanceof Map) container.set(key, value)
  else container[Number(key)] = value
}

function remove(container: DataContainer, key: string): void {
  if (container instanceof Map) container.delete(key)
  else container.length = Number(key)
}
