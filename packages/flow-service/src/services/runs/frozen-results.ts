import { elapsedMs } from '@x/wire'
import { z } from 'zod'
import { setLru } from '@x/wire'
import { createResultCache, type CachedResult, type ResultCache } from '@x/flow-engine'
import type { KeptVertex } from '@x/flow-engine/internal'
import { decodeFrozen, encodeFrozen } from '@x/flow-engine/internal'
import { blobKeyOf, folderKeyOf } from '../files/file-address.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'

/** Larger results of frozen vertices stay in memory. */
const MAX_BYTES = 4 * 1024 * 1024
/** Storage for the frozen vertices of one flow; excess results are evicted in no particular order. */
const MAX_PER_FLOW = { bytes: 64 * 1024 * 1024, results: 200 }
/** How long listed names are cached, in milliseconds. */
const LISTED_MS = 1000
/** Maximum number of flows whose names are cached. */
const LISTED_FLOWS = 100

/** Marks in memory a result that is in the blob store, where every process can read it. */
const IN_BLOB_STORE: CachedResult = { outputs: {}, bytes: 64 }

const stored = z.object({ key: z.string(), state: z.string() })

/**
 * Stores results of frozen vertices in the blob store, so that they survive a restart and are shared by all
 * processes; all other results are in memory. Applies to stored flows and is removed with them.
 */
export function createFrozenResults(
  {
    store,
    files,
    runtime,
    report,
  }: Pick<ServiceDependencies, 'store' | 'files' | 'runtime' | 'report'>,
  memory: ResultCache = createResultCache({ runtime }),
): ResultCache {
  const listed = new Map<string, { readonly names: Promise<Set<string>>; readonly since: number }>()
  const namesOf = (flowId: string): Promise<Set<string>> => {
    const now = runtime.now().getTime()
    const known = listed.get(flowId)
    if (known !== undefined && elapsedMs(known.since, now) < LISTED_MS) return known.names
    const names = files.list(folderKeyOf('frozen', flowId)).then((all) => new Set(all))
    return setLru(listed, flowId, { names, since: now }, LISTED_FLOWS).names
  }

  const read = async (key: string, vertex: KeptVertex): Promise<CachedResult | undefined> => {
    const bytes = await files.read(blobKey(vertex))
    if (bytes === null) return undefined
    const found = stored.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    // A different key means that the vertex's settings have changed.
    if (!found.success || found.data.key !== key) return undefined
    return decodeFrozen(found.data.state)
  }

  /** False if a result can only be stored in memory. */
  const write = async (key: string, result: CachedResult, vertex: KeptVertex): Promise<boolean> => {
    const state = result.bytes > MAX_BYTES ? undefined : encodeFrozen(result)
    if (state === undefined) return false
    const bytes = new TextEncoder().encode(JSON.stringify({ key, state }))
    if (bytes.length > MAX_BYTES * 2) return false
    if ((await store.flows.get(vertex.flowId)) === null) return false
    const names = await namesOf(vertex.flowId)
    if (!names.has(nameOf(vertex))) await makeRoom(vertex.flowId, bytes.length)
    await files.write(blobKey(vertex), bytes)
    names.add(nameOf(vertex))
    return true
  }

  const makeRoom = async (flowId: string, needed: number): Promise<void> => {
    const sizes = new Map<string, number>()
    for (const name of await files.list(folderKeyOf('frozen', flowId)))
      sizes.set(name, (await files.size(blobKeyOf('frozen', { id: flowId, name }))) ?? 0)
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, needed)
    for (const [name, size] of sizes) {
      if (bytes <= MAX_PER_FLOW.bytes && sizes.size < MAX_PER_FLOW.results) break
      await files.remove(blobKeyOf('frozen', { id: flowId, name }))
      sizes.delete(name)
      bytes -= size
    }
  }

  return {
    async get(key, vertex) {
      if (vertex?.frozen !== true) return await memory.get(key)
      const kept = await read(key, vertex).catch((error: unknown) => {
        report(error)
        return undefined
      })
      if (kept !== undefined) return kept
      const own = await memory.get(key)
      if (own === undefined || own === IN_BLOB_STORE) return undefined
      // The last result before the vertex was frozen.
      if (await write(key, own, vertex)) await memory.set(key, IN_BLOB_STORE)
      return own
    },
    async set(key, result, vertex) {
      if (vertex?.frozen === true && (await write(key, result, vertex))) {
        await memory.set(key, IN_BLOB_STORE)
        return
      }
      await memory.set(key, result)
      // Unfreezing a vertex drops its stored result.
      if (vertex === undefined) return
      const names = await namesOf(vertex.flowId)
      if (!names.delete(nameOf(vertex))) return
      await files.remove(blobKey(vertex))
    },
  }
}

const blobKey = (vertex: KeptVertex): string =>
  blobKeyOf('frozen', { id: vertex.flowId, name: nameOf(vertex) })

/** One result for each build of a vertex; a new one replaces it. */
const nameOf = ({ place }: KeptVertex): string => `${place}.json`
