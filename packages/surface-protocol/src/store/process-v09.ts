import { formatPointer } from '../json.ts'
import { quote } from '../diagnostics/errors.ts'
import type { Report } from '../diagnostics/report.ts'
import { checkBatch, collectBatch } from '../graph/component-batch.ts'
import { checkComponents } from '../message/v09/check-components.ts'
import { readMessageV09, type MessageDraftV09 } from '../message/v09/read-message-v09.ts'
import { checkSize, commit, openChange, settle } from './change.ts'
import { removeSurface } from './change.ts'
import { depthOf } from './local-write.ts'
import { reportPlacing } from './report-placing.ts'
import type { Processed, StoreState } from './state.ts'

type Draft<K extends MessageDraftV09['kind']> = Extract<MessageDraftV09, { kind: K }>

/** Reads and applies one message of version 0.9.1 atomically. */
export function processMessageV09(state: StoreState, message: unknown, report: Report): Processed {
  const draft = readMessageV09(message, report)
  if (draft === null) return 'refused'
  if (draft.kind === 'deleteSurface') return removeSurface(state, draft.surfaceId)
  if (draft.kind === 'createSurface') return create(state, draft, report)
  if (!state.surfaces.has(draft.surfaceId)) {
    report.add('surface_not_found', `There is no surface ${quote(draft.surfaceId)}.`, {
      at: [draft.kind, 'surfaceId'],
    })
    return 'refused'
  }
  if (draft.kind === 'updateComponents') return updateComponents(state, draft, report)
  return updateData(state, draft, report)
}

function create(state: StoreState, draft: Draft<'createSurface'>, report: Report): Processed {
  const { surfaceId, theme, themeSize, sendDataModel } = draft
  if (state.surfaces.has(surfaceId)) {
    report.add('surface_exists', `The surface ${quote(surfaceId)} exists.`, {
      at: ['createSurface', 'surfaceId'],
    })
    return 'refused'
  }
  const { id: catalogId, core } = state.settings.findCatalog(draft.catalogId)
  if (core === null) {
    report.add('unknown_catalog', `There is no catalog ${quote(catalogId)} here.`, {
      at: ['createSurface', 'catalogId'],
    })
    return 'refused'
  }
  report.path.push('createSurface', 'theme')
  core.checkStyles(theme ?? {}, report)
  report.path.length = 0
  const change = openChange(state, surfaceId, report)
  const { surface } = change
  surface.styleSize = themeSize
  checkSize(state, change, { status: 'pending', report })
  if (report.errors > 0) return 'refused'
  surface.root = 'root'
  surface.catalogId = catalogId
  surface.core = core
  surface.styles = theme ?? {}
  surface.hasTheme = theme !== null
  surface.sendDataModel = sendDataModel
  return commit(state, change, 'pending')
}

function updateComponents(
  state: StoreState,
  { surfaceId, components }: Draft<'updateComponents'>,
  report: Report,
): Processed {
  const core = state.surfaces.get(surfaceId)?.core ?? null
  checkComponents(components, core, report)
  if (report.errors > 0) return 'refused'
  const change = openChange(state, surfaceId, report)
  const { surface } = change
  for (const component of components) component.core = core
  const batch = collectBatch(components, report, 'updateComponents')
  checkBatch(surface.graph, batch, report, 'updateComponents')
  if (report.errors > 0) return 'refused'
  for (const definition of batch.values()) surface.graph.put(definition)
  change.componentIds = [...batch.keys()]
  const isRendered = surface.graph.definitions.has('root')
  return settle(state, change, { status: isRendered ? 'rendered' : 'pending', report })
}

/** Writes or removes one data location. */
export function updateData(
  state: StoreState,
  {
    surfaceId,
    segments,
    value,
  }: Pick<Draft<'updateDataModel'>, 'surfaceId' | 'segments' | 'value'>,
  report: Report,
): Processed {
  const change = openChange(state, surfaceId, report)
  const { surface } = change
  const { data } = surface
  if (value !== undefined && segments.length + depthOf(value) > report.limits.dataDepth + 1) {
    report.exceeds('dataDepth', { at: ['updateDataModel', 'value'] })
    return 'refused'
  }
  if (segments.length === 0) data.replace(value instanceof Map ? value : new Map())
  else if (value === undefined) data.removeAt(segments)
  else reportPlacing(data.place(segments, value, report.limits.arrayIndex), report)
  change.dataPaths = [formatPointer(segments)]
  return settle(state, change, { status: surface.status, report })
}
