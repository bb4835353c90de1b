import { isPlainObject } from '../json.ts'
import { checkPath } from '../data/check-path.ts'
import type { Report } from '../diagnostics/report.ts'

/** Validates the paths of all values that look like a binding or a template. */
export function checkBoundPaths(value: unknown, report: Report): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      report.path.push(index)
      checkBoundPaths(item, report)
      report.path.pop()
    })
    return
  }
  if (!isPlainObject(value)) return
  const names = Object.keys(value)
  const isBinding = names.every((name) => name === 'path' || name.startsWith('literal'))
  for (const name of names) {
    const member = value[name]
    report.path.push(name)
    if (typeof member === 'string') {
      const bound = (name === 'path' && isBinding) || (name === 'dataBinding' && names.length === 2)
      if (bound) checkPath(member, report)
    } else checkBoundPaths(member, report)
    report.path.pop()
  }
}
