import { mapFromJson, mapToJson } from '../data/data-value.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { Report } from '../diagnostics/report.ts'
import { checkBatch, collectBatch, type ComponentBatch } from '../graph/component-batch.ts'
import type { JsonObject } from '../json.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'
import { readInstance } from '../message/v08/read-instance.ts'
import { initialiseData } from '../store/initialise-data.ts'
import { createSurface, type SurfaceState } from '../store/surface.ts'

/**
 * The data of a surface after components were sent to it.
 * @throws SurfaceError for a loop
 */
export function dataAfterInitialising(
  before: Pick<SurfaceState, 'components' | 'data'>,
  sent: readonly ComponentInstance[],
): JsonObject {
  const report = new Report()
  const surface = createSurface('')
  surface.data.replace(mapFromJson(before.data))
  for (const known of batchOf(before.components, report).values()) surface.graph.put(known)
  const batch = batchOf(sent, report)
  checkBatch(surface.graph, batch, report)
  if (report.errors > 0) throw errorFrom(report.finish())
  for (const definition of batch.values()) surface.graph.put(definition)
  initialiseData(surface, batch, { report, mode: 'compatible' })
  return mapToJson(surface.data.root)
}

function batchOf(components: readonly ComponentInstance[], report: Report): ComponentBatch {
  const read = components.flatMap((component, position) => {
    const instance = readInstance(component, '', { report, check: () => null })
    return instance === null ? [] : [{ ...instance, position }]
  })
  return collectBatch(read, report)
}
