import type { CatalogCore } from '../catalog/catalog.ts'
import { createRulesV1 } from '../catalog/v1/dynamic-rules-v1.ts'
import { findCatalog, type FindCore } from '../catalog/v1/find-catalog.ts'
import type { FunctionShape } from '../catalog/v09/shape.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { Report } from '../diagnostics/report.ts'
import { taggedSyntax } from '../functions/tagged-syntax.ts'
import type { JsonObject, JsonValue } from '../json.ts'

/** A catalog function resolved for a call. */
export interface CalledFunction {
  readonly core: CatalogCore
  readonly shape: FunctionShape
}

/** A call as sent in a message. */
export interface WireCall {
  readonly name: string
  readonly catalogId: string | undefined
  readonly args: JsonObject
}

/** Resolves the function of a call; null if it or its catalog is unknown. */
export function findFunction(
  { name, catalogId }: WireCall,
  { ofSurface, find }: { ofSurface: string | null; find: FindCore },
): CalledFunction | 'no catalog' | 'no function' {
  const { core } = findCatalog(catalogId, ofSurface, find)
  if (core === null) return 'no catalog'
  const shape = core.v09?.functions.get(name)
  return shape === undefined ? 'no function' : { core, shape }
}

/** Validates a call's arguments, all of whose values are known; returns the problem, or null. */
export function checkArguments(
  { name, args }: WireCall,
  { core }: CalledFunction,
): SurfaceDiagnostic | null {
  const report = new Report()
  const rules = createRulesV1(() => ({ core }))
  const functions = core.v09?.functions ?? new Map()
  rules.call(
    { '@call': name, args },
    { report, rules, functions, code: 'invalid_argument', depth: 0 },
  )
  if (report.errors === 0 && Object.values(args).some(isComputed)) {
    report.add('invalid_argument', 'Arguments of a call to another party are values.')
  }
  return report.finish().find(({ severity }) => severity === 'error') ?? null
}

function isComputed(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (taggedSyntax.pathOf(value) !== undefined || taggedSyntax.callOf(value) !== undefined) {
    return true
  }
  return Object.values(value).some(isComputed)
}
