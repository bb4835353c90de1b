import { type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { defaultLimits, type SurfaceLimits } from '../diagnostics/limits.ts'

/** What conversions had to leave out; at most 1,000 findings are listed (AB-9). */
export type ConversionDiagnostics = SurfaceDiagnostic[] & {
  /** Number of findings that are not listed. */
  readonly dropped: number
}

/** The findings of an adapter. */
export interface ConversionLog {
  readonly diagnostics: ConversionDiagnostics
  note(found: SurfaceDiagnostic): void
  /** Notes a message that is left out because of a limit. */
  exceeds(limit: keyof SurfaceLimits, surfaceId?: string): void
}

const MAXIMUM = 1000

/** A log without findings. */
export function createConversionLog(): ConversionLog {
  let dropped = 0
  const list: SurfaceDiagnostic[] = []
  const diagnostics = Object.defineProperty(list, 'dropped', {
    get: () => dropped,
  }) as ConversionDiagnostics
  const note = (found: SurfaceDiagnostic): void => {
    if (list.length < MAXIMUM) list.push(found)
    else dropped += 1
  }
  return {
    diagnostics,
    note,
    exceeds(limit, surfaceId) {
      note({
        code: 'limit_exceeded',
        severity: 'error',
        message: `A message was left out: the limit ${limit} of ${defaultLimits[limit]} is exceeded.`,
        path: '',
        limit,
        ...(surfaceId === undefined ? {} : { surfaceId }),
      })
    },
  }
}

/** Whether a value is nested deeper than `limit`; looks at each container once, without recursion. */
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

/** Size of a value of bounded depth by SP-89: its keys and strings, and 8 for each value. */
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
