import { escapeSegment, formatPointer } from '../json.ts'
import { readMessage, type MessageDraft } from '../message/v08/read-message.ts'
import type { Report } from '../diagnostics/report.ts'
import { checkBatch, collectBatch } from '../graph/component-batch.ts'
import { initialiseData } from './initialise-data.ts'
import { begin } from './begin.ts'
import { openChange, removeSurface, settle } from './change.ts'
import type { DataModel } from '../data/data-model.ts'
import type { DataMap } from '../data/data-value.ts'
import type { Surface, SurfaceStatus } from './surface.ts'
import type { Processed, StoreState } from './state.ts'

type Draft<K extends MessageDraft['kind']> = Extract<MessageDraft, { kind: K }>

/** Reads and applies one message atomically. */
export function processMessage(state: StoreState, message: unknown, report: Report): Processed {
  const draft = readMessage(message, report, state.check)
  if (draft === null) return 'refused'
  if (draft.kind === 'surfaceUpdate') return updateComponents(state, draft, report)
  if (draft.kind === 'beginRendering') return begin(state, draft, report)
  if (report.errors > 0) return 'refused'
  if (draft.kind === 'dataModelUpdate') return updateData(state, draft, report)
  return removeSurface(state, draft.surfaceId)
}

function updateComponents(
  state: StoreState,
  draft: Draft<'surfaceUpdate'>,
  report: Report,
): Processed {
  const change = openChange(state, draft.surfaceId, report)
  const { surface } = change
  const batch = collectBatch(draft.instances, report)
  checkBatch(surface.graph, batch, report)
  if (report.errors > 0) return 'refused'
  for (const definition of batch.values()) surface.graph.put(definition)
  const mode = state.settings.pathMode
  change.dataPaths = initialiseData(surface, batch, { report, mode })
  change.componentIds = [...batch.keys()]
  return settle(state, change, { status: nextStatus(surface), report })
}

function nextStatus({ status, root, graph }: Surface): SurfaceStatus {
  if (root === null) return 'created'
  return status === 'rendered' || graph.definitions.has(root) ? 'rendered' : 'pending'
}

function updateData(
  state: StoreState,
  { surfaceId, segments, contents }: Draft<'dataModelUpdate'>,
  report: Report,
): Processed {
  const change = openChange(state, surfaceId, report)
  if (report.errors > 0) return 'refused'
  const { surface } = change
  if (segments.length === 0) {
    surface.data.replace(contents)
    change.dataPaths = ['']
  } else change.dataPaths = writeContents(surface.data, segments, { contents, report })
  return settle(state, change, { status: surface.status, report })
}

/** Writes the listed keys at a location. */
function writeContents(
  data: DataModel,
  segments: readonly string[],
  { contents, report }: { contents: DataMap; report: Report },
): string[] {
  const container = data.reach(segments)
  if (container === null) {
    refuseIndex(report, ['dataModelUpdate', 'path'])
    return []
  }
  const pointer = formatPointer(segments)
  if (contents.size === 0) return data.changes.length > 0 ? [pointer] : []
  const paths: string[] = []
  for (const [key, value] of contents) {
    if (!data.write(container, { parent: segments, key, value })) {
      refuseIndex(report, ['dataModelUpdate', 'contents', paths.length, 'key'])
    }
    paths.push(`${pointer}/${escapeSegment(key)}`)
  }
  return paths
}

function refuseIndex(report: Report, at: readonly (string | number)[]): void {
  report.add('invalid_path', 'The path leads beyond the end of an array.', { at })
}
