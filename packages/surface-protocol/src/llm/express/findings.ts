import type { SurfaceDiagnostic } from '../../diagnostics/errors.ts'
import type { ProgramFault } from './program-fault.ts'

/** What was expected, as a sentence. */
export function sentence(expected: string): string {
  return `${expected.charAt(0).toUpperCase()}${expected.slice(1)}.`
}

/** A fault as a finding. */
export function diagnosticOfFault(fault: ProgramFault): SurfaceDiagnostic {
  const { code, message, hint } = fault
  return { code, severity: 'error', message, path: '', ...(hint === undefined ? {} : { hint }) }
}

/** Where the component of a finding begins. */
export function placeOf(
  { path }: SurfaceDiagnostic,
  { at, places }: { at: number; places: readonly number[] },
): number {
  const index = /^\/\w+\/components\/(\d+)/.exec(path)?.[1]
  return (index === undefined ? undefined : places[Number(index)]) ?? at
}
