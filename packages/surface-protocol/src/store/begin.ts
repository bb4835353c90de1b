import type { CatalogCore } from '../catalog/catalog.ts'
import { quote } from '../diagnostics/errors.ts'
import type { MessageDraft } from '../message/v08/read-message.ts'
import { Report } from '../diagnostics/report.ts'
import { checkSize, commit, openChange } from './change.ts'
import { missingChildren, type Surface } from './surface.ts'
import type { Processed, StoreState } from './state.ts'

/** Applies a `beginRendering`: sets or replaces root, catalog and styles. */
export function begin(
  state: StoreState,
  draft: Extract<MessageDraft, { kind: 'beginRendering' }>,
  report: Report,
): Processed {
  const change = openChange(state, draft.surfaceId, report)
  const { surface } = change
  const { id: catalogId, core } = state.settings.findCatalog(draft.catalogId)
  if (core === null) {
    report.add('unknown_catalog', `There is no catalog ${quote(catalogId)} here.`, {
      at: ['beginRendering', 'catalogId'],
    })
    return 'refused'
  }
  const styles = draft.styles ?? {}
  report.path.push('beginRendering', 'styles')
  core.checkStyles(styles, report)
  report.path.length = 0
  checkStored(surface, core, report)
  const status = surface.graph.definitions.has(draft.root) ? 'rendered' : 'pending'
  const { styleSize } = surface
  surface.styleSize = report.size
  checkSize(state, change, { status, report })
  if (report.errors > 0) {
    surface.styleSize = styleSize
    return 'refused'
  }
  surface.root = draft.root
  surface.catalogId = catalogId
  surface.core = core
  surface.styles = styles
  surface.tree = null
  surface.overflow = null
  warnMissing(surface, report)
  return commit(state, change, status)
}

/** Validates the stored components against the named catalog. */
function checkStored(surface: Surface, core: CatalogCore, report: Report): void {
  for (const { id, type, properties, core: definedBy } of surface.graph.definitions.values()) {
    if (definedBy === core) continue
    const trial = new Report(report.mode, report.limits)
    core.checkComponent(type, properties, trial)
    for (const { code, message, severity, hint } of trial.diagnostics) {
      report.add(code, message, {
        at: ['beginRendering', 'catalogId'],
        severity,
        hint,
        componentId: id,
      })
    }
  }
}

function warnMissing(surface: Surface, report: Report): void {
  for (const { parent, id } of missingChildren(surface)) {
    if (parent === null) {
      report.warn('begin_before_root', `The root ${quote(id)} is not defined yet.`, {
        at: ['beginRendering', 'root'],
      })
    } else {
      report.warn('missing_child', `The child ${quote(id)} is not defined yet.`, {
        at: ['beginRendering', 'root'],
        componentId: parent,
        related: [id],
      })
    }
  }
}
