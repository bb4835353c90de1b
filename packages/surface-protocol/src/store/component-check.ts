import type { CatalogCore } from '../catalog/catalog.ts'
import type { ComponentCheck } from '../message/v08/component-check.ts'
import { Report } from '../diagnostics/report.ts'
import type { Surface } from './surface.ts'

/** Before a catalog is named, a component is valid if any catalog of the store accepts it. */
export function createComponentCheck(
  surfaces: ReadonlyMap<string, Surface>,
  cores: readonly CatalogCore[],
): ComponentCheck {
  const [first] = cores
  return (surfaceId, type, { properties, report }) => {
    const taker =
      surfaces.get(surfaceId)?.core ??
      (cores.length === 1 ? first : cores.find((core) => accepts(core, type, properties))) ??
      first ??
      null
    taker?.checkComponent(type, properties, report)
    return taker
  }
}

function accepts(core: CatalogCore, type: string, properties: Record<string, unknown>): boolean {
  const trial = new Report()
  core.checkComponent(type, properties, trial)
  return trial.errors === 0
}
