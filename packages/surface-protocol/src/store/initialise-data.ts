import { fromJson } from '../data/data-value.ts'
import type { Report } from '../diagnostics/report.ts'
import { placeOf, type ComponentBatch } from '../graph/component-batch.ts'
import { planOf } from '../graph/plan.ts'
import { formatPointer } from '../json.ts'
import { locate, rootScope, type PathMode } from '../tree/scope.ts'
import type { Surface } from './surface.ts'

/**
 * Writes the literals given together with a path to the data. The writes are committed with the data
 * model.
 * @returns the written locations
 */
export function initialiseData(
  surface: Surface,
  batch: ComponentBatch,
  { report, mode }: { report: Report; mode: PathMode },
): string[] {
  const written: string[] = []
  for (const definition of batch.values()) {
    if (!definition.initialises || surface.graph.isInTemplate(definition.id)) continue
    for (const { path, literal, place: at } of planOf(definition).bindings) {
      if (path === null || literal === undefined) continue
      const { location } = locate(surface.data.root, path, { scope: rootScope, mode })
      if (location.length === 0) continue
      if (surface.data.set(location, fromJson(literal))) written.push(formatPointer(location))
      else {
        report.add('invalid_path', 'The path leads beyond the end of an array.', {
          at: [...placeOf(definition), 'component', definition.type, ...at, 'path'],
          componentId: definition.id,
        })
      }
    }
  }
  return written
}
