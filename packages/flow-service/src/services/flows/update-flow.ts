import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowPatch, FlowRecord } from '../../store/flows.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import type { Caller } from '../base/caller.ts'
import { resolveFsPath } from './flow-file.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { FlowChanges } from './flow-input.ts'
import { writeFile, writeTime } from './flow-writer.ts'
import { yieldIfLarge } from './change-graph.ts'
import { findWebhooks, type Webhooks } from './graph-text.ts'

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
export async function updateFlow(
  deps: ServiceDependencies,
  update: FlowUpdate,
): Promise<FlowRecord> {
  const { caller, id, changes, first, undone } = update
  const { store, flowFiles, emit, runtime } = deps
  const known = await ownFlow(store, caller.id, id)
  if (known === null) throw refuse(404, NOT_FOUND)
  if (changes.fsPath !== undefined) resolveFsPath(flowFiles, caller.id, changes.fsPath)
  // Before the transaction, because others cannot write meanwhile, and a large graph takes some time.
  const knownHooks = await findWebhooks(known.data)
  const newHooks = changes.data === undefined ? undefined : await findWebhooks(changes.data)
  try {
    const { undo, record } = await store.transaction(async (tx) => {
      const before = await ownFlow(tx, caller.id, id)
      if (before === null) throw refuse(404, NOT_FOUND)
      await yieldIfLarge(before.data)
      const { folderId } = changes
      if (folderId !== undefined && (await tx.projects.get(caller.id, folderId)) === null) {
        throw refuse(400, 'Folder not found')
      }
      await first?.(tx, before)
      const had = before.data === known.data ? knownHooks : await findWebhooks(before.data)
      const hooks = { had, has: newHooks ?? had }
      const patch = patchOf({ changes, before, hooks }, writeTime(deps))
      const after = await tx.flows.update(caller.id, id, patch)
      if (after === null) throw refuse(404, NOT_FOUND)
      return { undo: valuesBefore(patch, before), record: after }
    })
    await writeFile(deps, record).catch(async (error: unknown) => {
      // Files are written outside the transaction (AB-77), so the flow is restored.
      await store.flows.update(caller.id, id, undo)
      await undone?.()
      throw error
    })
    await yieldIfLarge(record.data)
    emit('flow.updated', { at: runtime.now(), userId: caller.id, id })
    return record
  } catch (error) {
    throw translated(error)
  }
}

interface Patched {
  readonly changes: FlowChanges
  readonly before: FlowRecord
  /** The webhooks of the graph before and after the change. */
  readonly hooks: { readonly had: Webhooks; readonly has: Webhooks }
}

function patchOf(patched: Patched, updatedAt: Date): FlowPatch {
  const given = Object.entries(patched.changes).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(given),
    webhook: patched.hooks.has.hasNode,
    webhookName: webhookNameOf(patched),
    updatedAt,
  }
}

/** Kept if nothing relevant changes, so that a flow whose name is now taken by another can still be saved. */
function webhookNameOf({ changes, before, hooks: { had, has } }: Patched): string | null {
  const endpointName =
    changes.endpointName === undefined ? before.endpointName : changes.endpointName
  const isSame = endpointName === before.endpointName && has.areTaken === had.areTaken
  if (isSame) return before.webhookName
  return has.areTaken ? endpointName : null
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
