import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowPatch, FlowRecord } from '../../store/flows.ts'
import { isUniqueConflict } from '../../store/store-error.ts'
import type { Caller } from '../base/caller.ts'
import { resolveFsPath } from '../base/flow-files.ts'
import type { ServiceKit } from '../base/kit.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { FlowChanges } from './flow-input.ts'
import { writeFile, writeTime } from './flow-writer.ts'
import { hasWebhookNode, takesWebhooks } from './graph-text.ts'

const NOT_FOUND = 'Flow not found'

/** A change of one of the caller's flows. */
export interface FlowUpdate {
  readonly caller: Caller
  readonly id: string
  readonly changes: FlowChanges
  /** Runs in the transaction before the flow is changed. */
  readonly first?: (tx: FlowStore, before: FlowRecord) => Promise<void>
  /** Reverts `first` if the flow's file cannot be written. */
  readonly undone?: () => Promise<void>
}

/** Changes a flow of the caller. @throws Refusal 400, 404 */
export async function updateFlow(kit: ServiceKit, update: FlowUpdate): Promise<FlowRecord> {
  const { caller, id, changes, first, undone } = update
  const { store, flowFiles, emit, runtime } = kit
  if ((await ownFlow(store, caller.id, id)) === null) throw refuse(404, NOT_FOUND)
  if (changes.fsPath !== undefined) resolveFsPath(flowFiles, caller.id, changes.fsPath)
  try {
    const { undo, record } = await store.transaction(async (tx) => {
      const before = await ownFlow(tx, caller.id, id)
      if (before === null) throw refuse(404, NOT_FOUND)
      const { folderId } = changes
      if (folderId !== undefined && (await tx.projects.get(caller.id, folderId)) === null) {
        throw refuse(400, 'Folder not found')
      }
      await first?.(tx, before)
      const patch = patchOf(changes, before, writeTime(kit))
      const after = await tx.flows.update(caller.id, id, patch)
      if (after === null) throw refuse(404, NOT_FOUND)
      return { undo: valuesBefore(patch, before), record: after }
    })
    await writeFile(kit, record).catch(async (error: unknown) => {
      // Files are written outside the transaction (AB-77), so the flow is restored.
      await store.flows.update(caller.id, id, undo)
      await undone?.()
      throw error
    })
    emit('flow.updated', { at: runtime.now(), userId: caller.id, id })
    return record
  } catch (error) {
    throw translated(error)
  }
}

function patchOf(changes: FlowChanges, before: FlowRecord, updatedAt: Date): FlowPatch {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const webhook = hasWebhookNode(changes.data ?? before.data)
  return {
    ...Object.fromEntries(given),
    webhook,
    webhookName: webhookNameOf(changes, before),
    updatedAt,
  }
}

/** Kept if nothing relevant changes, so that a flow whose name is now taken by another can still be saved. */
function webhookNameOf(changes: FlowChanges, before: FlowRecord): string | null {
  const endpointName =
    changes.endpointName === undefined ? before.endpointName : changes.endpointName
  const takes = takesWebhooks(changes.data ?? before.data)
  const isSame = endpointName === before.endpointName && takes === takesWebhooks(before.data)
  if (isSame) return before.webhookName
  return takes ? endpointName : null
}

/** The previous values of the patched fields. */
function valuesBefore(patch: FlowPatch, before: FlowRecord): FlowPatch {
  const names = new Set(Object.keys(patch))
  return Object.fromEntries(Object.entries(before).filter(([name]) => names.has(name)))
}

function translated(error: unknown): unknown {
  if (!isUniqueConflict(error)) return error
  if (error.constraint === 'flow.name') return refuse(400, 'Name must be unique')
  const isName = error.constraint === 'flow.endpointName' || error.constraint === 'flow.webhookName'
  if (isName) return refuse(400, 'Endpoint name must be unique')
  return error
}
