import { createSystemRuntime, type Runtime } from '@x/wire'

/**
 * Stores results of frozen vertices between runs. An implementation may be shared between processes.
 */
export interface ResultCache {
  get(
    key: string,
    vertex?: KeptVertex,
  ): CachedResult | undefined | Promise<CachedResult | undefined>
  /**
   * In the editor also called for vertices that are not frozen, so that freezing one keeps its last result.
   */
  set(key: string, result: CachedResult, vertex?: KeptVertex): void | Promise<void>
}

/** The vertex a result belongs to, for caches that store results with their flow. */
export interface KeptVertex {
  readonly flowId: string
  /** Identifies the vertex and its build within loops: 64 hexadecimal digits. */
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
  /** Maximum number of results. Default 10,000. */
  readonly maxCount?: number
  /** Milliseconds. Default: results stay until a limit evicts them. */
  readonly maxAgeMs?: number
  readonly runtime?: Pick<Runtime, 'now'>
}

interface Entry {
  readonly result: CachedResult
  readonly expires: number
}

/** An in-memory cache with least-recently-used eviction. */
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
