const MAX_DISTANCE = 2
const MAX_LENGTH = 64

/** The most similar name: equal ignoring case, or at most two edits away. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const folded = name.toLowerCase()
  let best: string | undefined
  let bestDistance = MAX_DISTANCE + 1
  for (const candidate of names) {
    if (candidate.toLowerCase() === folded) return candidate
    if (Math.abs(candidate.length - name.length) > MAX_DISTANCE) continue
    const distance = editDistance(name, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
