import { Unzip, UnzipInflate, unzipSync } from 'fflate'
import { joinBytes } from '../base/join-bytes.ts'
import { inflateInTurns } from './inflate-in-turns.ts'
import type { InflateBudget } from './inflate-budget.ts'

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
 * @throws FlowError `limit_exceeded` over the budget; Error for corrupt data, also if it ends too early
 */
export async function readZip(
  bytes: Uint8Array,
  { budget, wanted, onData }: ReadZipOptions,
): Promise<void> {
  const listed = listedEntries(bytes)
  if (!hasZipSignature(bytes) || listed === undefined) throw new Error('invalid zip data')
  let seen = 0
  await inflateInTurns(bytes, (count) => {
    const unzip = new Unzip((entry) => {
      budget.enter()
      seen += 1
      count(ENTRY)
      if (!wanted(entry.name)) return
      entry.ondata = (error, piece, isLast) => {
        if (error !== null) throw error
        budget.spend(piece.length)
        count(piece.length)
        onData(entry.name, piece, isLast)
      }
      entry.start()
    })
    unzip.register(UnzipInflate)
    return (slice, isLast) => unzip.push(slice, isLast)
  })
  if (seen < listed) throw new Error('invalid zip data')
}

/** Bytes of the record that ends a zip file, without its comment. */
const END_RECORD = 22

/** Stands for a number in the record of zip64, which is not read. */
const IN_ZIP64 = 0xffff

/** The number of entries in the directory, as far as known; undefined if the file has no end record. */
function listedEntries(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const last = bytes.length - END_RECORD
  for (let at = last; at >= 0 && last - at <= 0xffff; at -= 1) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    const count = view.getUint16(at + 10, true)
    return count === IN_ZIP64 ? 0 : count
  }
  return undefined
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
      entries.push({ name, bytes: joinBytes(pieces) })
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
  let packed = 0
  unzipSync(bytes, {
    filter({ size, originalSize }) {
      announced.enter()
      announced.spend(originalSize)
      packed += size
      // Entries that overlap could have the same bytes unpacked thousands of times.
      if (packed > bytes.length) throw new Error('invalid zip data')
      return false
    },
  })
  await readZip(bytes, { budget: createBudget(), wanted: () => true, onData })
}
