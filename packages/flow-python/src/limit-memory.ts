const MEMORY_SECTION = 5

/**
 * Changes the maximum memory of a WebAssembly binary, so that the engine itself refuses to grow beyond it.
 * @param pages new maximum in pages of 64 KiB
 * @throws TypeError for a module that does not define a memory with a maximum
 */
export function limitMemory(binary: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  let at = 8
  while (at < binary.length) {
    const id = binary[at]
    const size = readNumber(binary, at + 1)
    if (id === MEMORY_SECTION) return withMaximum(binary, { head: at, body: size.next }, pages)
    at = size.next + size.value
  }
  throw new TypeError('The module does not define a memory')
}

interface Section {
  readonly head: number
  readonly body: number
}

function withMaximum(
  binary: Uint8Array,
  { head, body }: Section,
  pages: number,
): Uint8Array<ArrayBuffer> {
  const count = readNumber(binary, body)
  const flags = binary[count.next] ?? 0
  const least = readNumber(binary, count.next + 1)
  if (count.value !== 1 || (flags & 1) === 0)
    throw new TypeError('The memory of the module has no maximum')
  const most = readNumber(binary, least.next)
  const content = [
    1,
    flags,
    ...writeNumber(least.value),
    ...writeNumber(Math.max(least.value, pages)),
  ]
  const section = [MEMORY_SECTION, ...writeNumber(content.length), ...content]
  const made = new Uint8Array(head + section.length + binary.length - most.next)
  made.set(binary.subarray(0, head))
  made.set(section, head)
  made.set(binary.subarray(most.next), head + section.length)
  return made
}

/** Reads an unsigned LEB128 number and returns the offset after it. */
function readNumber(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte & 127) * factor
    if (byte < 128) return { value, next: at + 1 }
  }
}

function writeNumber(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push(rest >= 128 ? (rest % 128) + 128 : rest)
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return bytes
}
