import { createSystemRuntime, type Runtime } from '@x/wire'

/** Keeps results of frozen vertices between runs (FE-33); may live outside the process. */
export interface ResultCache {
  get(
    key: string,
    vertex?: KeptVertex,
  ): CachedResult | undefined | Promise<CachedResult | undefined>
  /**
   * In the editor also called for vertices that are not frozen: freezing one keeps its last result.
   */
  set(key: string, result: CachedResult, vertex?: KeptVertex): void | Promise<void>
}

/** The vertex of a result, for caches that keep results with their flow. */
export interface KeptVertex {
  readonly flowId: string
  /** Name of the vertex and of its build in loops, as 64 hexadecimal digits. */
  readonly place: string
  readonly frozen: boolean
}

/** Opaque to hosts. */
export interface CachedResult {
  readonly outputs: Readonly<Record<string, unknown>>
  readonly bytes: number
}

export interface ResultCacheOptions {
  /** Default 64 MiB. */
  readonly maxBytes?: number
  /** Results at most. Default 10,000. */
  readonly maxCount?: number
  /** Milliseconds; default: results are kept until the limits push them out. */
  readonly maxAgeMs?: number
  readonly runtime?: Pick<Runtime, 'now'>
}

interface Entry {
  readonly result: CachedResult
  readonly expires: number
}

/** In memory; the least recently used results go first. */
export function createResultCache(options: ResultCacheOptions = {}): ResultCache {
  const { maxBytes = 64 * 1024 * 1024, maxCount = 10_000, maxAgeMs = Infinity } = options
  const runtime = options.runtime ?? createSystemRuntime()
  const entries = new Map<string, Entry>()
  let bytes = 0

  function remove(key: string): Entry | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    bytes -= entry.result.bytes
    return entry
  }

  return {
    get(key) {
      const entry = remove(key)
      if (entry === undefined || entry.expires <= runtime.now().getTime()) return undefined
      entries.set(key, entry)
      bytes += entry.result.bytes
      return entry.result
    },
    set(key, result) {
      remove(key)
      if (result.bytes > maxBytes) return
      entries.set(key, { result, expires: runtime.now().getTime() + maxAgeMs })
      bytes += result.bytes
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes && entries.size <= maxCount) break
        remove(oldest)
      }
    },
  }
}
