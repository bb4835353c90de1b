/** Kinds of records, in the order they are copied. */
export const kinds = [
  'users',
  'projects',
  'flows',
  'variables',
  'api keys',
  'files',
  'messages',
] as const
export type Kind = (typeof kinds)[number]

/** Further lines of the same kind are only counted. */
const MAX_LINES = 50

/** Counts copied records, and lists skipped ones with the reason. */
export function createReport() {
  const counts = new Map(kinds.map((kind) => [kind, { moved: 0, there: 0, left: 0 }]))
  const lines = new Map<Kind, string[]>(kinds.map((kind) => [kind, []]))
  const count = (kind: Kind, what: 'moved' | 'there' | 'left'): void => {
    const of = counts.get(kind)
    if (of !== undefined) of[what] += 1
  }
  const say = (kind: Kind, line: string): void => {
    const of = lines.get(kind) ?? []
    if (of.length < MAX_LINES) of.push(line)
    else if (of.length === MAX_LINES) of.push('and more')
  }
  return {
    moved: (kind: Kind) => count(kind, 'moved'),
    /** Copied by an earlier run. */
    there: (kind: Kind) => count(kind, 'there'),
    /** Skipped, with the reason. */
    left(kind: Kind, name: string, reason: string) {
      count(kind, 'left')
      say(kind, `left out: "${name}", ${reason}`)
    },
    /** Copied with a change. */
    note: (kind: Kind, name: string, change: string) => say(kind, `"${name}": ${change}`),
    counts: (kind: Kind) => ({ moved: 0, there: 0, left: 0, ...counts.get(kind) }),
    toString(): string {
      return kinds
        .flatMap((kind) => {
          const { moved, there, left } = counts.get(kind) ?? { moved: 0, there: 0, left: 0 }
          const head = `${kind}: ${moved} moved, ${there} already there, ${left} left out`
          return [head, ...(lines.get(kind) ?? []).map((line) => `  ${line}`)]
        })
        .join('\n')
    },
  }
}

export type Report = ReturnType<typeof createReport>
