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

const LONGEST_NAME = 200

/** A name of the source in quotes, without characters that would control the operator's terminal. */
export function quoted(name: string): string {
  const start = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}...` : name
  const escaped = JSON.stringify(start).replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return escaped
}

/** Counts copied records, and lists skipped ones with the reason. */
export function createReport() {
  const counts = new Map(kinds.map((kind) => [kind, { copied: 0, present: 0, skipped: 0 }]))
  const lines = new Map<Kind, string[]>(kinds.map((kind) => [kind, []]))
  const count = (kind: Kind, what: 'copied' | 'present' | 'skipped'): void => {
    const of = counts.get(kind)
    if (of !== undefined) of[what] += 1
  }
  const say = (kind: Kind, line: string): void => {
    const of = lines.get(kind) ?? []
    if (of.length < MAX_LINES) of.push(line)
    else if (of.length === MAX_LINES) of.push('and more')
  }
  return {
    copied: (kind: Kind) => count(kind, 'copied'),
    /** Copied by an earlier run. */
    present: (kind: Kind) => count(kind, 'present'),
    /** Skipped, with the reason. */
    skipped(kind: Kind, name: string, reason: string) {
      count(kind, 'skipped')
      say(kind, `skipped: ${quoted(name)}, ${reason}`)
    },
    /** Copied with a change. */
    note: (kind: Kind, name: string, change: string) => say(kind, `${quoted(name)}: ${change}`),
    counts: (kind: Kind) => ({ copied: 0, present: 0, skipped: 0, ...counts.get(kind) }),
    toString(): string {
      return kinds
        .flatMap((kind) => {
          const { copied, present, skipped } = counts.get(kind) ?? {
            copied: 0,
            present: 0,
            skipped: 0,
          }
          const head = `${kind}: ${copied} copied, ${present} already there, ${skipped} skipped`
          return [head, ...(lines.get(kind) ?? []).map((line) => `  ${line}`)]
        })
        .join('\n')
    },
  }
}

export type Report = ReturnType<typeof createReport>
