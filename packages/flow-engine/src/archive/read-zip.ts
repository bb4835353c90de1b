import { eventLoopTurn } from '@x/wire'
import { Unzip, UnzipInflate, unzipSync } from 'fflate'
import type { InflateBudget } from './inflate-budget.ts'

/** Packed bytes inflated per step; each can expand to at most 1,000 times its size. */
const SLICE = 4 * 1024
/** Yields to the event loop after this many packed and unpacked bytes. */
const TURN = 2 * 1024 * 1024
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
 * Reads the entries of a zip file in archive order and counts the bytes as they are inflated (AB-35).
 * @throws FlowError `limit_exceeded` over the budget; Error for corrupt data
 */
export async function readZip(
  bytes: Uint8Array,
  { budget, wanted, onData }: ReadZipOptions,
): Promise<void> {
  if (!hasZipSignature(bytes)) throw new Error('invalid zip data')
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

/** Accepts a local file header, or the end record of an empty archive. */
function hasZipSignature([p, k, third, fourth]: Uint8Array): boolean {
  return p === 0x50 && k === 0x4b && (third === 3 || third === 5) && fourth === third + 1
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
      entries.push({ name, bytes: joinPieces(pieces) })
      pieces = []
    },
  })
  return entries
}

/**
 * Checks an archive before a library unpacks it: neither the sizes declared in its directory nor the bytes
 * actually inflated may exceed the budget.
 * @param onData receives the inflated data
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

/** Concatenates pieces. */
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
