import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { eventLoopTurn, readUuid, textSlices } from '@x/wire'
import { diffFlows, type FlowDiff } from '@x/flow-engine'
import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowRecord } from '../../store/flows.ts'
import type { FlowVersionRecord, NewFlowVersion } from '../../store/flow-versions.ts'
import type { Slice } from '@x/flow-engine/store'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { ownFlow } from '../base/own-flow.ts'
import { writeTime } from './flow-writer.ts'
import { updateFlow } from './update-flow.ts'
import { yieldIfLarge } from './change-graph.ts'
import { withoutPasswords } from './without-passwords.ts'

/** Maximum characters of a version's description. */
export const MAX_VERSION_DESCRIPTION = 500

/**
 * Stored copies of flows' graphs. Every method throws Refusal 404 for flows of other users
 * and for unknown versions.
 */
export interface FlowVersionService {
  /** Versions kept per flow; the setting `maxFlowVersions`. */
  readonly maxEntries: number
  /** Copies the stored graph. @throws Refusal 422 for a description over 500 characters */
  create(
    caller: Caller,
    flowId: string,
    options?: { readonly description?: string | null },
  ): Promise<FlowVersionRecord>
  /** Newest first, without data. */
  list(caller: Caller, flowId: string, slice?: Slice): Promise<FlowVersionRecord[]>
  /** Includes its data; password fields are empty. */
  get(caller: Caller, flowId: string, id: string): Promise<FlowVersionRecord>
  /**
   * Makes a version the graph of its flow, including its passwords. Unless `saveDraft` is false, the current
   * graph is saved as a version first, in the same transaction.
   * @throws Refusal 400 for a version without data
   */
  activate(
    caller: Caller,
    flowId: string,
    id: string,
    options?: { readonly saveDraft?: boolean },
  ): Promise<FlowRecord>
  remove(caller: Caller, flowId: string, id: string): Promise<void>
  /** The differences between two versions. */
  diff(caller: Caller, flowId: string, ids: readonly [string, string]): Promise<FlowDiff>
  /**
   * The flow with the graph of the version given by number (`3`, `v3`) or id; without one, the flow
   * itself. The caller must have checked ownership.
   */
  pin(flow: FlowRecord, version: string | null): Promise<PinnableFlow>
}

/** A flow with its own graph or that of a version. */
export interface PinnableFlow extends FlowRecord {
  /** Number of the version whose graph it has. */
  readonly version?: number
}

const noVersion = () => refuse(404, 'Version entry not found')

export function createFlowVersionService(deps: ServiceDependencies): FlowVersionService {
  const { store, settings } = deps
  const keep = settings.maxFlowVersions

  const checkFlow = async (caller: Caller, flowId: string): Promise<void> => {
    if ((await ownFlow(store, caller.id, flowId)) === null) throw noFlow()
  }
  const find = async (caller: Caller, flowId: string, id: string): Promise<FlowVersionRecord> => {
    await checkFlow(caller, flowId)
    const version = await store.versions.get(flowId, id)
    if (version === null) throw noVersion()
    return version
  }

  return {
    maxEntries: keep,
    async create(caller, flowId, { description = null } = {}) {
      if (description !== null && Array.from(description).length > MAX_VERSION_DESCRIPTION)
        throw refuse(422, `A description has at most ${MAX_VERSION_DESCRIPTION} characters`)
      return await store.transaction(async (tx) => {
        const flow = await ownFlow(tx, caller.id, flowId)
        if (flow === null) throw noFlow()
        return await addVersion(deps, tx, { flow, description })
      })
    },
    async list(caller, flowId, slice = {}) {
      await checkFlow(caller, flowId)
      return await store.versions.list(flowId, slice)
    },
    async get(caller, flowId, id) {
      const version = await find(caller, flowId, id)
      return { ...version, data: await withoutPasswords(version.data, deps.components) }
    },
    async activate(caller, flowId, id, { saveDraft = true } = {}) {
      const { number, data } = await find(caller, flowId, id)
      if (data === null) throw refuse(400, 'Cannot activate a version with no data')
      let draft: FlowVersionRecord | undefined
      return await updateFlow(deps, {
        caller,
        id: flowId,
        changes: { data },
        async first(tx, flow) {
          const description = `Auto-saved before activating v${number}`
          if (saveDraft) draft = await addVersion(deps, tx, { flow, description })
        },
        async undone() {
          if (draft !== undefined) await store.versions.remove(flowId, draft.id)
        },
      })
    },
    async remove(caller, flowId, id) {
      await checkFlow(caller, flowId)
      if (!(await store.versions.remove(flowId, id))) throw noVersion()
    },
    async diff(caller, flowId, [a, b]) {
      const before = await find(caller, flowId, a)
      const after = await find(caller, flowId, b)
      return diffFlows(graphOf(before), graphOf(after))
    },
    async pin(flow, name) {
      if (name === null) return flow
      const version = await findNamed(store, flow.id, name)
      if (version === null) throw noVersion()
      return { ...flow, data: version.data, version: version.number }
    },
  }
}

const noFlow = () => refuse(404, 'Flow not found')

/** Characters that are hashed in one turn of the event loop. */
const HASHED = 512 * 1024

async function hashOf(text: string): Promise<string> {
  const hash = sha256.create()
  for (const slice of textSlices(text, HASHED)) {
    hash.update(utf8ToBytes(slice))
    if (text.length > HASHED) await eventLoopTurn()
  }
  return bytesToHex(hash.digest())
}

async function addVersion(
  deps: ServiceDependencies,
  tx: FlowStore,
  { flow, description }: { readonly flow: FlowRecord; readonly description: string | null },
): Promise<FlowVersionRecord> {
  const { id: flowId, userId, data } = flow
  const version: NewFlowVersion = {
    id: deps.runtime.uuid(),
    flowId,
    userId,
    description,
    data,
    hash: data === null ? null : await hashOf(data),
    createdAt: writeTime(deps),
  }
  await yieldIfLarge(data)
  const added = await tx.versions.add(version, deps.settings.maxFlowVersions)
  if (added === null) throw noFlow()
  return added
}

async function findNamed(
  { versions }: FlowStore,
  flowId: string,
  name: string,
): Promise<FlowVersionRecord | null> {
  const id = readUuid(name)
  if (id !== undefined) return await versions.get(flowId, id)
  const digits = /^v?(\d{1,9})$/.exec(name)?.[1]
  return digits === undefined ? null : await versions.findByNumber(flowId, Number(digits))
}

function graphOf({ data }: FlowVersionRecord): unknown {
  return { data: data === null ? { nodes: [], edges: [] } : (JSON.parse(data) as unknown) }
}
