import { readUuid } from '@x/wire'
import type { FlowQuery, FlowRecord } from '../../store/flows.ts'
import { ownFlow } from '../base/own-flow.ts'
import { afterCommit } from '../records/after-commit.ts'
import type { Caller } from '../base/caller.ts'
import { flowPage, flowParts, type FlowPage, type FlowParts } from './flow-parts.ts'
import { ensureDefaultProject } from './default-project.ts'
import type { FlowChanges, FlowInput } from './flow-input.ts'
import { writeFlows } from './flow-writer.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'
import { withoutApiKeys } from './graph-text.ts'
import { updateFlow } from './update-flow.ts'
import { removeFilesOf } from '../files/remove-files.ts'
import { retryTaken } from '../records/retry.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Flows. Flows of other users are reported as not found. */
export interface FlowService {
  create(caller: Caller, inputs: readonly FlowInput[]): Promise<FlowRecord[]>
  /** @throws Refusal 400 if `folderId` is not one of the caller's projects */
  upload(caller: Caller, inputs: readonly FlowInput[], folderId?: string): Promise<FlowRecord[]>
  /** In order of creation. */
  list(caller: Caller, query: Pick<FlowQuery, 'data'> & { componentsOnly?: boolean }): FlowParts
  /** A page of the project, or of the default project. */
  page(
    caller: Caller,
    query: { folderId?: string; componentsOnly?: boolean; page: number; size: number },
  ): Promise<FlowPage>
  /** @throws Refusal 404 */
  get(caller: Caller, id: string): Promise<FlowRecord>
  /** The caller's flows among these ids, in order of creation. */
  pick(caller: Caller, ids: readonly string[]): Promise<FlowPage>
  /** The flows as files contain them: without the API keys in their graphs. */
  exported(flows: FlowParts): AsyncIterable<FlowRecord>
  /** @throws Refusal 403 if it is not public, or its owner is blocked */
  getPublic(id: string): Promise<FlowRecord>
  /**
   * Finds a flow by id, else by endpoint name: of the given user, else the caller's own before other users'.
   * Null if there is none.
   */
  find(
    idOrEndpointName: string,
    by: { readonly userId: string | null; readonly callerId: string },
  ): Promise<FlowRecord | null>
  /**
   * The flow of a webhook call: by id, by endpoint name of the given user, or by the globally unique webhook
   * name. Flows without a webhook are not found by the latter.
   */
  findForWebhook(idOrEndpointName: string, userId: string | null): Promise<FlowRecord | null>
  /** @throws Refusal 400, 404 */
  update(caller: Caller, id: string, changes: FlowChanges): Promise<FlowRecord>
  /** Removes the caller's flows among these ids with all their data; returns their number. */
  remove(caller: Caller, ids: readonly string[]): Promise<number>
}

const NOT_FOUND = 'Flow not found'

export function createFlowService(deps: ServiceDependencies): FlowService {
  const { store } = deps
  return {
    create: (caller, inputs) => writeFlows(deps, caller.id, inputs),
    async upload(caller, inputs, folderId) {
      if (folderId === undefined) return await writeFlows(deps, caller.id, inputs)
      const project = await store.projects.get(caller.id, folderId)
      if (project === null) throw refuse(400, 'Folder not found')
      return await writeFlows(deps, caller.id, inputs, { folderId })
    },
    list: (caller, { data, componentsOnly = false }) =>
      flowParts(store.flows, {
        userId: caller.id,
        order: 'created',
        data,
        ...(componentsOnly ? { isComponent: true } : {}),
      }),
    page: (caller, query) => pageOf(deps, caller, query),
    async get(caller, id) {
      const flow = await ownFlow(store, caller.id, id)
      if (flow === null) throw refuse(404, NOT_FOUND)
      return flow
    },
    pick(caller, ids) {
      return flowPage(store.flows, { userId: caller.id, ids, order: 'created', data: 'all' })
    },
    async *exported(parts) {
      for await (const flows of parts)
        for (const flow of flows)
          yield { ...flow, data: await withoutApiKeys(flow.data, deps.components) }
    },
    async getPublic(id) {
      const flow = await store.flows.get(id)
      const isPublic = flow?.accessType === 'PUBLIC'
      // As for public builds: what a blocked user has published is closed.
      const owner = isPublic ? await store.users.get(flow.userId) : null
      if (!isPublic || owner?.isActive !== true) throw refuse(403, 'Flow is not public')
      return { ...flow, data: await withoutSecrets(flow.data, deps.components) }
    },
    find: (idOrEndpointName, by) => findFlow(deps, idOrEndpointName, by),
    findForWebhook: (idOrEndpointName, userId) => findForWebhook(deps, idOrEndpointName, userId),
    update: (caller, id, changes) => updateFlow(deps, { caller, id, changes }),
    remove: (caller, ids) => removeFlows(deps, caller.id, ids),
  }
}

async function findFlow(
  { store: { flows } }: ServiceDependencies,
  idOrEndpointName: string,
  { userId, callerId }: { readonly userId: string | null; readonly callerId: string },
): Promise<FlowRecord | null> {
  const id = readUuid(idOrEndpointName)
  if (id !== undefined) return await flows.get(id)
  if (userId !== null) return await flows.findByEndpointName(idOrEndpointName, userId)
  const own = await flows.findByEndpointName(idOrEndpointName, callerId)
  return own ?? (await flows.findByEndpointName(idOrEndpointName))
}

async function findForWebhook(
  { store: { flows } }: ServiceDependencies,
  idOrEndpointName: string,
  userId: string | null,
): Promise<FlowRecord | null> {
  const id = readUuid(idOrEndpointName)
  if (id !== undefined) return await flows.get(id)
  if (userId !== null) return await flows.findByEndpointName(idOrEndpointName, userId)
  const named = await flows.findByWebhookName(idOrEndpointName)
  return named ?? (await flows.findByEndpointName(idOrEndpointName))
}

async function pageOf(
  deps: ServiceDependencies,
  caller: Caller,
  { folderId, componentsOnly = false, page, size }: Parameters<FlowService['page']>[1],
): Promise<FlowPage> {
  const folder = folderId ?? (await defaultProjectId(deps, caller.id))
  return await flowPage(deps.store.flows, {
    userId: caller.id,
    folderId: folder,
    order: 'created',
    data: 'all',
    offset: (page - 1) * size,
    limit: size,
    ...(componentsOnly ? { isComponent: true } : {}),
  })
}

async function defaultProjectId(deps: ServiceDependencies, userId: string): Promise<string> {
  const project = await retryTaken(['project.name'], () =>
    deps.store.transaction((tx) => ensureDefaultProject(deps, tx, userId)),
  )
  return project.id
}

/** Removes flows of a user with their records, builds and files; returns how many existed. */
export async function removeFlows(
  deps: ServiceDependencies,
  userId: string,
  ids: readonly string[],
): Promise<number> {
  const gone = await deps.store.flows.remove(userId, ids)
  await afterRemoval(deps, userId, gone)
  return gone.length
}

/** Cleans up after flows were removed from the store. */
export async function afterRemoval(
  deps: ServiceDependencies,
  userId: string,
  flowIds: readonly string[],
): Promise<void> {
  if (flowIds.length === 0) return
  const { runtime, emit, cancelBuilds, records, store } = deps
  await afterCommit(deps, [
    () => cancelBuilds({ flowIds }),
    // Records of runs that have just ended may not have been stored yet.
    () => records.flush(),
    () => store.flows.removeRecords(flowIds, userId),
    () => removeFilesOf(deps, { flowIds }),
  ])
  for (const id of flowIds) {
    emit('flow.deleted', { at: runtime.now(), userId, id })
  }
}
