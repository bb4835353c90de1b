import { quote, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { defaultLimits, type SurfaceLimits } from '../diagnostics/limits.ts'

/** The parts that conversions omitted; at most 1,000 findings are listed. */
export type ConversionDiagnostics = SurfaceDiagnostic[] & {
  /** Number of findings not listed. */
  readonly dropped: number
}

/** The findings of an adapter. */
export interface ConversionLog {
  readonly diagnostics: ConversionDiagnostics
  readonly note: (found: SurfaceDiagnostic) => void
  /** Reports a feature the other version lacks, once per component and kind. */
  lose(what: string, about: Loss): void
  /** Reports a message omitted because of a limit. */
  exceeds(limit: keyof SurfaceLimits, surfaceId?: string): void
}

/** The position of a loss. */
export interface Loss {
  readonly surfaceId: string
  readonly componentId?: string
  /** JSON Pointer into the source message. */
  readonly path?: string
  /** A sentence. Default: one that names what was lost. */
  readonly message?: string
}

const MAX_ENTRIES = 1000

/** Creates an empty log. */
export function createConversionLog(
  limits: Readonly<SurfaceLimits> = defaultLimits,
): ConversionLog {
  let dropped = 0
  /** Losses already listed; at most as many as there are findings. */
  const known = new Set<string>()
  const list: SurfaceDiagnostic[] = []
  const diagnostics = Object.defineProperty(list, 'dropped', {
    get: () => dropped,
  }) as ConversionDiagnostics
  const note = (found: SurfaceDiagnostic): void => {
    if (list.length < MAX_ENTRIES) list.push(found)
    else dropped += 1
  }
  return {
    diagnostics,
    note,
    lose(what, { surfaceId, componentId, path = '', message }) {
      const key = JSON.stringify([surfaceId, componentId, what])
      if (known.has(key)) return
      if (known.size < MAX_ENTRIES) known.add(key)
      note({
        code: 'lossy_conversion',
        severity: 'warning',
        message: message ?? `${quote(what)} has no form in the other version.`,
        path,
        surfaceId,
        ...(componentId === undefined ? {} : { componentId }),
        related: [what],
      })
    },
    exceeds(limit, surfaceId) {
      note({
        code: 'limit_exceeded',
        severity: 'error',
        message: `A message was left out: the limit ${limit} of ${limits[limit]} is exceeded.`,
        path: '',
        limit,
        ...(surfaceId === undefined ? {} : { surfaceId }),
      })
    },
  }
}

/** Returns whether a value is nested deeper than `limit`; visits each container once, without recursion. */
export function isDeeper(value: unknown, limit: number): boolean {
  const stack: { item: unknown; depth: number }[] = [{ item: value, depth: 0 }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { item, depth } = next
    if (typeof item !== 'object' || item === null) continue
    if (depth >= limit) return true
    for (const member of Object.values(item) as unknown[]) {
      if (typeof member === 'object' && member !== null)
        stack.push({ item: member, depth: depth + 1 })
    }
  }
  return false
}

/** Size of a value of bounded depth as the limits count it: keys, strings, and 8 for each value. */
export function sizeOfJson(value: unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  let size = 8
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    size += sizeOfJson(member) + (isList ? 0 : key.length)
  }
  return size
}
