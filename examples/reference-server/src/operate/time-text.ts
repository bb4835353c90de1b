let second = Number.NaN
let head = ''

/** Formats milliseconds since 1970 like `toISOString`, whose result is kept for the other times of a second. */
export function timeText(ms: number): string {
  const now = Math.floor(ms / 1000)
  if (now !== second) {
    second = now
    head = new Date(ms).toISOString().slice(0, -4)
  }
  return `${head}${String(ms - now * 1000).padStart(3, '0')}Z`
}
