import { eventLoopTurn } from '@x/wire'
import { Unzip, UnzipInflate, unzipSync } from 'fflate'
import type { InflateBudget } from './inflate-budget.ts'

/** Bytes of the archive that are inflated at a time: each becomes at most 1,000 times as much. */
const SLICE = 4 * 1024
/** Bytes, packed and unpacked, behind which others have their turn. */
const TURN = 2 * 1024 * 1024
/** What reading an entry costs besides its bytes, in bytes that are unpacked. */
const ENTRY = 16 * 1024

export interface ReadZipOptions {
  readonly budget: InflateBudget
  /** Entries to read; the others are passed over, and cost no budget but their number. */
  readonly wanted: (name: string) => boolean
  /** Takes the contents of a wanted entry, piece by piece. */
  readonly onData: (name: string, piece: Uint8Array, isLast: boolean) => void
}

/**
 * Reads entries of a zip file in its order, counting what comes out while it is inflated (AB-35).
 * @throws FlowError `limit_exceeded` over the budget; Error for damaged data
 */
export async function readZip(
  bytes: Uint8Array,
  { budget, wanted, onData }: ReadZipOptions,
): Promise<void> {
  if (!beginsLikeZip(bytes)) throw new Error('invalid zip data')
  let done = 0
  const unzip = new Unzip((entry) => {
    budget.enter()
    done += ENTRY
    if (!wanted(entry.name)) return
    entry.ondata = (error, piece, isLast) => {
      if (error !== null) throw error
      budget.spend(piece.length)
      done += piece.length
      onData(entry.name, piece, isLast)
    }
    entry.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < bytes.length; at += SLICE) {
    unzip.push(bytes.subarray(at, at + SLICE), at + SLICE >= bytes.length)
    done += SLICE
    if (done < TURN) continue
    done = 0
    await eventLoopTurn()
  }
}

/** With the header of an entry, or the end of an empty archive. */
function beginsLikeZip([p, k, third, fourth]: Uint8Array): boolean {
  return p === 0x50 && k === 0x4b && (third === 3 || third === 5) && fourth === third + 1
}

/** The wanted entries whole, in their order. @throws as readZip */
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
      entries.push({ name, bytes: joinPieces(pieces) })
      pieces = []
    },
  })
  return entries
}

/**
 * Checks an archive that a library is going to unpack by itself: neither what its directory
 * announces nor what really comes out is over the budget.
 * @param onData looks at what comes out
 * @throws as readZip
 */
export async function checkZip(
  bytes: Uint8Array,
  createBudget: () => InflateBudget,
  onData: ReadZipOptions['onData'],
): Promise<void> {
  const announced = createBudget()
  unzipSync(bytes, {
    filter({ originalSize }) {
      announced.enter()
      announced.spend(originalSize)
      return false
    },
  })
  await readZip(bytes, { budget: createBudget(), wanted: () => true, onData })
}

/** Pieces put together. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
