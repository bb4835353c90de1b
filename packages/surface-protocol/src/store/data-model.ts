import {
  arrayIndex,
  isContainer,
  measureData,
  member,
  type DataContainer,
  type DataMap,
  type DataMeasure,
  type DataValue,
} from './data-value.ts'

/** One location that a message has set. */
export interface DataChange {
  readonly segments: readonly string[]
  /** What was there; undefined when nothing was. */
  readonly before: DataValue | undefined
}

/** Why a write is impossible: the segments of a location where an array has no such index. */
export interface BadIndex {
  readonly segments: readonly string[]
}

/** The data of one surface (SP-28). Writes are kept back until `commit` or undone by `rollback`. */
export interface DataModel {
  readonly root: DataMap
  /** Counters by SP-89, kept up to date with every write. */
  readonly measure: Readonly<DataMeasure>
  /** Replaces everything. */
  replace(root: DataMap): void
  /**
   * Sets one location; what is missing on the way becomes a map (SP-29).
   * @returns a bad index, or null when the value was set
   */
  set(segments: readonly string[], value: DataValue): BadIndex | null
  /** Makes sure that there is a container at the location. */
  ensure(segments: readonly string[]): BadIndex | null
  /** The locations written since the last commit, in order. */
  readonly changes: readonly DataChange[]
  /** Locations since the last commit where a scalar gave way to a map. */
  readonly overwritten: readonly (readonly string[])[]
  commit(): void
  rollback(): void
}

type Undo = () => void

/** An empty model. */
export function createDataModel(): DataModel {
  let root: DataMap = new Map()
  const measure: DataMeasure = { size: 8, entries: 0 }
  let undo: Undo[] = []
  let changes: DataChange[] = []
  let overwritten: (readonly string[])[] = []

  const count = (value: DataValue, key: string, sign: 1 | -1): void => {
    const one: DataMeasure = { size: key.length, entries: 1 }
    measureData(value, one)
    measure.size += sign * one.size
    measure.entries += sign * one.entries
  }

  const write = (container: DataContainer, key: string, value: DataValue): void => {
    const before = member(container, key)
    if (before !== undefined) count(before, key, -1)
    count(value, key, 1)
    put(container, key, value)
    undo.push(() => {
      count(value, key, -1)
      if (before === undefined) remove(container, key)
      else {
        count(before, key, 1)
        put(container, key, before)
      }
    })
  }

  /** The container at `segments`, made where it is missing. */
  const reach = (segments: readonly string[]): DataContainer | BadIndex => {
    let container: DataContainer = root
    for (let depth = 0; depth < segments.length; depth += 1) {
      const segment = segments[depth] ?? ''
      const next = member(container, segment)
      if (isContainer(next)) {
        container = next
        continue
      }
      const place = segments.slice(0, depth + 1)
      if (!accepts(container, segment)) return { segments: place }
      if (next !== undefined) overwritten.push(place)
      changes.push({ segments: place, before: next })
      const made: DataMap = new Map()
      write(container, segment, made)
      container = made
    }
    return container
  }

  const reset = (): void => {
    undo = []
    changes = []
    overwritten = []
  }

  return {
    get root() {
      return root
    },
    measure,
    get changes() {
      return changes
    },
    get overwritten() {
      return overwritten
    },
    replace(next) {
      const before = { root, ...measure }
      changes.push({ segments: [], before: root })
      root = next
      measure.size = 0
      measure.entries = 0
      measureData(next, measure)
      undo.push(() => {
        root = before.root
        measure.size = before.size
        measure.entries = before.entries
      })
    },
    set(segments, value) {
      const key = segments.at(-1) ?? ''
      const container = reach(segments.slice(0, -1))
      if ('segments' in container) return container
      if (!accepts(container, key)) return { segments }
      changes.push({ segments, before: member(container, key) })
      write(container, key, value)
      return null
    },
    ensure(segments) {
      const container = reach(segments)
      return 'segments' in container ? container : null
    },
    commit: reset,
    rollback() {
      for (const step of undo.toReversed()) step()
      reset()
    },
  }
}

/** Whether a container can take a value under this key: an array up to its length (SP-29). */
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
