import { Inflate } from 'fflate'
import { joinBytes } from '@x/wire'
import {
  createUnpackingWork,
  inflateCooperatively,
  type CountWork,
} from './inflate-cooperatively.ts'
import type { InflateBudget } from './inflate-budget.ts'
import { zipDirectory, type ZipEntry } from './zip-directory.ts'

/** Fixed cost of an entry, expressed in unpacked bytes. */
const ENTRY = 16 * 1024

export interface ReadZipOptions {
  readonly budget: InflateBudget
  /** Selects the entries to read. Skipped entries count towards the entry limit only. */
  readonly wanted: (name: string) => boolean
  /** Receives the contents of a selected entry in pieces. */
  readonly onData: (name: string, piece: Uint8Array, isLast: boolean) => void
}

/**
 * Reads the entries of a zip file in archive order and counts the bytes as they are inflated.
 * @returns the entries that were read
 * @throws FlowError `limit_exceeded` over the budget; Error for corrupt data, also if it ends too early
 */
export async function readZip(
  bytes: Uint8Array,
  { budget, wanted, onData }: ReadZipOptions,
): Promise<readonly ZipEntry[]> {
  const entries = zipDirectory(bytes, () => budget.enter())
  const work = createUnpackingWork()
  const read: ZipEntry[] = []
  for (const entry of entries) {
    work.count(ENTRY)
    await work.turn()
    const { name, packed } = entry
    if (!wanted(name)) continue
    read.push(entry)
    const unpacked = (piece: Uint8Array, isLast: boolean, count: CountWork): void => {
      budget.spend(piece.length)
      count(piece.length)
      onData(name, piece, isLast)
    }
    const push = createUnpacker(entry, (piece, isLast) => unpacked(piece, isLast, work.count))
    if (packed.length === 0) push(packed, true)
    await inflateCooperatively(packed, () => push, work)
  }
  return read
}

type Push = (piece: Uint8Array, isLast: boolean) => void

function createUnpacker({ method, isEncrypted }: ZipEntry, onData: Push): Push {
  if (isEncrypted) throw new Error('the zip file is encrypted')
  if (method === 0) return onData
  if (method !== 8) throw new Error(`unknown compression type ${method}`)
  const inflate = new Inflate(onData)
  return (slice, isLast) => inflate.push(slice, isLast)
}

/** Reads the selected entries completely, in archive order. @throws as readZip */
export async function readZipEntries(
  bytes: Uint8Array,
  options: Pick<ReadZipOptions, 'budget' | 'wanted'>,
): Promise<{ name: string; bytes: Uint8Array }[]> {
  const entries: { name: string; bytes: Uint8Array }[] = []
  let pieces: Uint8Array[] = []
  await readZip(bytes, {
    ...options,
    onData(name, piece, isLast) {
      pieces.push(piece)
      if (!isLast) return
      entries.push({ name, bytes: joinBytes(pieces) })
      pieces = []
    },
  })
  return entries
}
