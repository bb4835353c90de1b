import type { Report } from '../diagnostics/report.ts'

/** Reports why a value could not be placed. */
export function reportPlacing(
  placed: 'placed' | 'conflict' | 'gap',
  report: Report,
  at: readonly string[] = ['updateDataModel', 'path'],
): void {
  if (placed === 'conflict') {
    report.add('path_conflict', 'The path leads through a scalar, or names no index of an array.', {
      at,
    })
  } else if (placed === 'gap') report.exceeds('arrayIndex', { at })
}
