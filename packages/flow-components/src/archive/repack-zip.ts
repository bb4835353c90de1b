import { joinBytes } from '@x/wire'
import { readZip, type ReadZipOptions } from './read-zip.ts'

/**
 * Checks the entries of an archive that a library needs, and packs them again without the others. So the
 * library unpacks the bytes that were checked, into buffers of their real sizes, whatever else the archive
 * says about them.
 * @throws as readZip
 */
export async function repackZip(
  bytes: Uint8Array,
  { budget, wanted, onData }: ReadZipOptions,
): Promise<Uint8Array> {
  const sizes: number[] = []
  let size = 0
  const read = await readZip(bytes, {
    budget,
    wanted,
    onData(name, piece, isLast) {
      onData(name, piece, isLast)
      size += piece.length
      if (!isLast) return
      sizes.push(size)
      size = 0
    },
  })
  const files: Uint8Array[] = []
  const listing: Uint8Array[] = []
  let offset = 0
  for (const [at, { name: text, method, crc, packed }] of read.entries()) {
    const name = new TextEncoder().encode(text)
    const common = (record: DataView, from: number): void => {
      record.setUint16(from, VERSION, true)
      record.setUint16(from + 2, UTF8_NAME, true)
      record.setUint16(from + 4, method, true)
      record.setUint32(from + 10, crc, true)
      record.setUint32(from + 14, packed.length, true)
      record.setUint32(from + 18, sizes[at] ?? 0, true)
      record.setUint16(from + 22, name.length, true)
    }
    const start = offset
    const local = recordOf(30, 0x04034b50, (record) => common(record, 4))
    files.push(local, name, packed)
    offset += local.length + name.length + packed.length
    const listed = recordOf(46, 0x02014b50, (record) => {
      record.setUint16(4, VERSION, true)
      common(record, 6)
      record.setUint32(42, start, true)
    })
    listing.push(listed, name)
  }
  const directory = joinBytes(listing)
  const end = recordOf(22, 0x06054b50, (record) => {
    record.setUint16(8, read.length, true)
    record.setUint16(10, read.length, true)
    record.setUint32(12, directory.length, true)
    record.setUint32(16, offset, true)
  })
  return joinBytes([...files, directory, end])
}

/** 2.0, the first with directories and deflated files. */
const VERSION = 20
const UTF8_NAME = 0x800

function recordOf(length: number, signature: number, fill: (record: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length)
  const record = new DataView(bytes.buffer)
  record.setUint32(0, signature, true)
  fill(record)
  return bytes
}
