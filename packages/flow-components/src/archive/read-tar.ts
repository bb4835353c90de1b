import { eventLoopTurn } from '@x/wire'
import type { InflateBudget } from './inflate-budget.ts'

const BLOCK = 512
/** Yields to the event loop after this many headers. */
const TURN = 1000
/** Maximum size in bytes of a long-name entry. */
const MAX_NAME_LENGTH = 64 * 1024

/**
 * Reads the regular files of a tar archive (POSIX ustar and pax, GNU long names) in archive order;
 * directories, links and other entries are skipped. Contents are views into the archive.
 * @throws FlowError `limit_exceeded` for more than 10,000 entries; TypeError for a corrupt archive
 */
export async function readTar(
  bytes: Uint8Array,
  budget: InflateBudget,
): Promise<{ name: string; bytes: Uint8Array }[]> {
  const files: { name: string; bytes: Uint8Array }[] = []
  let longName: string | undefined
  let headers = 0
  for (let at = 0; at + BLOCK <= bytes.length;) {
    headers += 1
    if (headers % TURN === 0) await eventLoopTurn()
    const header = bytes.subarray(at, at + BLOCK)
    // Two zero blocks mark the end of an archive.
    if (header[0] === 0) break
    const size = sizeOf(header)
    const from = at + BLOCK
    if (from + size > bytes.length) throw new TypeError('the archive ends inside a file')
    const content = bytes.subarray(from, from + size)
    at = from + Math.ceil(size / BLOCK) * BLOCK
    const type = String.fromCodePoint(header[156] ?? 0)
    if (type === 'x' || type === 'L') {
      if (size > MAX_NAME_LENGTH) throw new TypeError('a name in the archive is too long')
      longName = type === 'L' ? textOf(content) : (paxPath(content) ?? longName)
      continue
    }
    if (type === 'g' || type === 'K') continue
    budget.enter()
    if (type === '0' || type === '7' || type === '\0')
      files.push({ name: longName ?? nameOf(header), bytes: content })
    longName = undefined
  }
  return files
}

/** Parses a space-padded octal number. @throws TypeError */
function sizeOf(header: Uint8Array): number {
  const digits = /^ *([0-7]+)$/.exec(textOf(header.subarray(124, 136)).trimEnd())?.[1]
  if (digits === undefined) throw new TypeError('an entry size in the archive is not a number')
  return Number.parseInt(digits, 8)
}

function nameOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100))
  const isUstar = textOf(header.subarray(257, 262)) === 'ustar'
  // Old GNU archives, recognisable by the spaces in their magic, use these bytes for other fields.
  const prefix = isUstar && header[262] === 0 ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Records of the form `<length> <key>=<value>\n`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(new TextDecoder().decode(content))?.[1]
}

/** Decodes a field up to the first NUL. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0)
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end))
}
