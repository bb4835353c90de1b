/** How a number is appended to a name that is taken. */
export interface NumberForm {
  readonly before: string
  readonly after: string
}

/** `name (k)`, for flows and projects. */
export const BRACKETS: NumberForm = { before: ' (', after: ')' }
/** `name-k`, for endpoint names. */
export const DASH: NumberForm = { before: '-', after: '' }

/** A set of taken names. Finding a free name takes constant time. */
export interface NameAllocator {
  add(name: string): void
  /**
   * The name itself if free, else with one more than the highest number of any taken name of the same form,
   * or 1.
   */
  next(name: string): string
  /** The first free name among the name itself and the name with 1, 2, ... */
  firstFree(name: string): string
}

export function createNameAllocator(
  { before, after }: NumberForm,
  names: Iterable<string> = [],
): NameAllocator {
  const taken = new Set<string>()
  /** The highest number used for each name. */
  const highest = new Map<string, number>()
  /** The number up to which all numbers are taken. */
  const full = new Map<string, number>()
  const numbered = (name: string, k: number): string => `${name}${before}${k}${after}`

  const add = (name: string): void => {
    taken.add(name)
    const digits = /\d{1,15}$/.exec(name.slice(0, name.length - after.length))?.[0]
    const end = after.length + (digits?.length ?? 0)
    if (digits === undefined || !name.endsWith(after)) return
    const stem = name.slice(0, name.length - end)
    if (!stem.endsWith(before)) return
    const base = stem.slice(0, stem.length - before.length)
    highest.set(base, Math.max(highest.get(base) ?? 0, Number(digits)))
  }
  for (const name of names) add(name)

  return {
    add,
    next: (name) => (taken.has(name) ? numbered(name, (highest.get(name) ?? 0) + 1) : name),
    firstFree(name) {
      if (!taken.has(name)) return name
      let k = (full.get(name) ?? 0) + 1
      while (taken.has(numbered(name, k))) k += 1
      full.set(name, k - 1)
      return numbered(name, k)
    },
  }
}
