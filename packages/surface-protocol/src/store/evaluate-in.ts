import { readDataPath } from '../data/data-path.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { orSurfaceError } from '../functions/evaluation-error.ts'
import type { JsonValue } from '../json.ts'
import { ensureTree } from './surface.ts'
import type { StoreState } from './state.ts'

/** Where a value is evaluated. Default: the root of the data. */
export interface EvaluateOptions {
  /** The tree node whose scope applies. */
  readonly nodeId?: string
  /** JSON Pointer of the scope. */
  readonly scope?: string
}

/** The value of a literal, a binding or a call. @throws SurfaceError */
export function evaluateIn(
  { surfaces, settings }: StoreState,
  surfaceId: string,
  { value, nodeId, scope = '' }: EvaluateOptions & { readonly value: JsonValue },
): JsonValue {
  const surface = surfaces.get(surfaceId)
  const { evaluator } = settings
  if (surface === undefined || evaluator === null) {
    const detail =
      evaluator === null ? 'Version 0.8 has no functions.' : 'There is no such surface.'
    throw new SurfaceError({ code: 'surface_not_found', detail, surfaceId })
  }
  const node = nodeId === undefined ? undefined : ensureTree(surface, settings)?.find(nodeId)
  if (nodeId !== undefined && node === undefined) {
    throw new SurfaceError({
      code: 'component_not_found',
      detail: 'The tree has no such node.',
      surfaceId,
    })
  }
  const segments = node?.scope.segments ?? readDataPath(scope)?.segments ?? []
  const { catalogId } = surface
  const place = { root: surface.data.root, scope: segments, surfaceId, catalogId }
  return orSurfaceError(surfaceId, () => evaluator.evaluate(value, place) ?? null)
}
