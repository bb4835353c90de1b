const DECIMAL =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i
const INFINITE = /^([+-]?)inf(?:inity)?$/i

/** Parses a numeric string (` 7 `, `1e3`, `1_000`, `-inf`); null for other strings. */
export function parseNumberText(text: string): number | null {
  const trimmed = text.trim()
  if (DECIMAL.test(trimmed)) return Number(trimmed.replaceAll('_', ''))
  const sign = INFINITE.exec(trimmed)?.[1]
  if (sign === undefined) return null
  return sign === '-' ? -Infinity : Infinity
}
