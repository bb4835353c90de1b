/** The name that a mistyped one most likely means; undefined if none is close. */
export function closest(given: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly steps: number } | undefined
  for (const name of names) {
    const steps = distance(given.slice(0, 50), name)
    if (steps <= Math.max(1, Math.floor(name.length / 3)) && steps < (best?.steps ?? 99))
      best = { name, steps }
  }
  return best?.name
}

/** Insertions, deletions, replacements and exchanges of neighbours between two words. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let y = 1; y <= from.length; y += 1) {
    const next = [y]
    for (let x = 1; x <= to.length; x += 1) {
      const differs = from[y - 1] === to[x - 1] ? 0 : 1
      const steps = Math.min((row[x] ?? 0) + 1, (next[x - 1] ?? 0) + 1, (row[x - 1] ?? 0) + differs)
      const isSwap = from[y - 1] === to[x - 2] && from[y - 2] === to[x - 1]
      next.push(isSwap ? Math.min(steps, (before[x - 2] ?? 0) + 1) : steps)
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
