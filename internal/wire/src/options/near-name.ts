/** The known name that is meant by a misspelt one: alike but for case and dashes, or at most two slips away. */
export function nearName(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name)
  const same = known.find((one) => fold(one) === folded)
  if (same !== undefined) return same
  const limit = name.length < 5 ? 1 : 2
  let best: string | undefined
  let least = limit + 1
  for (const one of known) {
    if (Math.abs(one.length - name.length) > limit) continue
    const slips = distance(name, one)
    if (slips < least) [best, least] = [one, slips]
  }
  return best
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Letters that are missing, added, replaced or exchanged with their neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1
      let slips = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + cost,
      )
      const exchanged = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && exchanged) slips = Math.min(slips, (before[column - 2] ?? 0) + 1)
      line.push(slips)
    }
    before = above
    above = line
  }
  return above[to.length] ?? 0
}
