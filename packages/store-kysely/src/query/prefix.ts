/** The first string, by code point, after all strings with this prefix; null if there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = Array.from(prefix)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0) ?? 0
    if (code < 0x10_ff_ff) {
      const next = code === 0xd7_ff ? 0xe0_00 : code + 1
      return points.join('') + String.fromCodePoint(next)
    }
  }
  return null
}
