/** An entry as listed in the directory of a zip file. */
export interface ZipEntry {
  readonly name: string
  /** 0: stored, 8: deflated. */
  readonly method: number
  readonly isEncrypted: boolean
  /** Checksum of its contents. */
  readonly crc: number
  /** Its packed bytes; a view into the archive. */
  readonly packed: Uint8Array
}

/**
 * Lists the entries of a zip file in archive order. Only the directory defines where an entry begins and ends:
 * the content of a file may look like an entry, and data may precede the archive.
 * @param enter called for each entry before its bytes are read
 * @throws Error `invalid zip data`, also if entries share their bytes
 */
export function zipDirectory(bytes: Uint8Array, enter: () => void): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { from, end, count, moved } = findDirectory(view)
  const listed: Placed[] = []
  let at = from
  for (let n = 0; n < count; n += 1) {
    enter()
    const { length, size, ...one } = readListed(view, at, end)
    listed.push({ ...one, packed: packedOf(view, one.offset + moved, size) })
    at += length
  }
  const entries = listed.toSorted((one, other) => one.offset - other.offset)
  for (const [n, { packed }] of entries.entries()) {
    const next = entries[n + 1]
    // The same bytes could be unpacked thousands of times.
    if (next !== undefined && placeOf(packed, bytes) + packed.length > next.offset + moved)
      throw invalid()
  }
  return entries
}

type Placed = ZipEntry & { readonly offset: number }

const placeOf = (part: Uint8Array, whole: Uint8Array): number => part.byteOffset - whole.byteOffset

interface Listed extends Omit<ZipEntry, 'packed'> {
  readonly offset: number
  readonly size: number
  /** Bytes of the record in the directory. */
  readonly length: number
}

interface Directory {
  readonly from: number
  readonly end: number
  readonly count: number
  /** Bytes in front of the archive. */
  readonly moved: number
}

const END = 0x06054b50
const END_RECORD = 22
const LOCATOR = 0x07064b50
const LOCATOR_RECORD = 20
const END_64 = 0x06064b50
const END_64_RECORD = 56
const LISTED = 0x02014b50
const LISTED_RECORD = 46
const LOCAL = 0x04034b50
const LOCAL_RECORD = 30
/** Placeholder for a number that is stored in a zip64 field. */
const IN_ZIP64 = 0xffffffff
const MAX_COMMENT = 0xffff

/** The directory of the last end record that has one; a comment may also contain the signature. */
function findDirectory(view: DataView): Directory {
  const last = view.byteLength - END_RECORD
  let empty: Directory | undefined
  for (let at = last; at >= 0 && last - at <= MAX_COMMENT; at -= 1) {
    if (view.getUint32(at, true) !== END) continue
    const directory = directoryBefore(view, at)
    if (directory !== undefined && directory.count > 0) return directory
    empty ??= directory
  }
  if (empty === undefined) throw invalid()
  return empty
}

function directoryBefore(view: DataView, at: number): Directory | undefined {
  const large = endRecord64(view, at)
  const end = large ?? at
  const size = large === undefined ? view.getUint32(at + 12, true) : uint64(view, large + 40)
  const count = large === undefined ? view.getUint16(at + 10, true) : uint64(view, large + 32)
  const from = end - size
  const stated = large === undefined ? view.getUint32(at + 16, true) : uint64(view, large + 48)
  // Some programs omit the zip64 record.
  const offset = stated === IN_ZIP64 ? from : stated
  if (from < offset) return undefined
  const hasEntries = size >= LISTED_RECORD && view.getUint32(from, true) === LISTED
  if (count === 0 ? size !== 0 : !hasEntries) return undefined
  return { from, end, count, moved: from - offset }
}

/** The place of the zip64 record that belongs to an end record. */
function endRecord64(view: DataView, end: number): number | undefined {
  const locator = end - LOCATOR_RECORD
  if (locator < END_64_RECORD || view.getUint32(locator, true) !== LOCATOR) return undefined
  // Data before the archive moves the record; it ends where its locator begins.
  const places = [uint64(view, locator + 8), locator - END_64_RECORD]
  return places.find((at) => at + END_64_RECORD <= locator && view.getUint32(at, true) === END_64)
}

function readListed(view: DataView, at: number, end: number): Listed {
  if (at + LISTED_RECORD > end || view.getUint32(at, true) !== LISTED) throw invalid()
  const nameLength = view.getUint16(at + 28, true)
  const extraLength = view.getUint16(at + 30, true)
  const length = LISTED_RECORD + nameLength + extraLength + view.getUint16(at + 32, true)
  if (at + length > end) throw invalid()
  const flags = view.getUint16(at + 8, true)
  const extra = at + LISTED_RECORD + nameLength
  const large = fieldsOf64(view, extra, extra + extraLength)
  // Only the numbers that do not fit have a field, in this order.
  const [, size = 0, offset = 0] = [24, 20, 42].map((place) => {
    const number = view.getUint32(at + place, true)
    return number === IN_ZIP64 ? (large.shift() ?? number) : number
  })
  return {
    name: nameOf(bytesAt(view, at + LISTED_RECORD, nameLength), (flags & 0x800) !== 0),
    method: view.getUint16(at + 10, true),
    isEncrypted: (flags & 1) !== 0,
    crc: view.getUint32(at + 16, true),
    size,
    offset,
    length,
  }
}

/** The numbers in the zip64 field of an entry. */
function fieldsOf64(view: DataView, from: number, end: number): number[] {
  for (let at = from; at + 4 <= end;) {
    const length = view.getUint16(at + 2, true)
    const next = at + 4 + length
    if (next > end) return []
    if (view.getUint16(at, true) === 1)
      return Array.from({ length: length >> 3 }, (_, n) => uint64(view, at + 4 + 8 * n))
    at = next
  }
  return []
}

/** The bytes behind the header of an entry. */
function packedOf(view: DataView, at: number, size: number): Uint8Array {
  if (at + LOCAL_RECORD > view.byteLength || view.getUint32(at, true) !== LOCAL) throw invalid()
  const from = at + LOCAL_RECORD + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  if (from + size > view.byteLength) throw invalid()
  return bytesAt(view, from, size)
}

function bytesAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

/** Many programs write names in UTF-8 without saying so. */
function nameOf(bytes: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8, ignoreBOM: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32
}

function invalid(): Error {
  return new Error('invalid zip data')
}
