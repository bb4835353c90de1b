/** Copies a row deeply enough that the copy shares no mutable value with it. */
export function copy<T extends object>(row: T): T {
  const result = { ...row }
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === 'object' && value !== null) {
      Object.defineProperty(result, key, {
        value: structuredClone(value),
        writable: true,
        enumerable: true,
        configurable: true,
      })
    }
  }
  return result
}

/** Copies a row; null for undefined. */
export function copyOrNull<T extends object>(row: T | undefined): T | null {
  return row === undefined ? null : copy(row)
}

/** Applies the fields of a patch that are not undefined. */
export function patched<T extends object>(
  row: T,
  patch: { readonly [K in keyof NoInfer<T>]?: T[K] },
): T {
  const fields = Object.entries(copy(patch)).filter(([, value]) => value !== undefined)
  return { ...row, ...Object.fromEntries(fields) }
}

/** Returns a slice of the rows, as copies. */
export function sliceRows<T extends object>(
  rows: readonly T[],
  { offset = 0, limit = null }: { readonly offset?: number; readonly limit?: number | null },
): { readonly items: readonly T[]; readonly total: number } {
  const end = limit === null ? rows.length : offset + limit
  return { items: rows.slice(offset, end).map(copy), total: rows.length }
}

/** Builds a composite key that is unique for these three strings. */
export function triple(a: string, b: string, c: string): string {
  return pair(a, pair(b, c))
}

/** Builds a composite key that is unique for these two strings. */
export function pair(a: string, b: string): string {
  return `${a.length}:${a}${b}`
}
