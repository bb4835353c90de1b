import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowPatch, FlowRecord } from '../../store/flows.ts'
import type { ProjectPatch, ProjectRecord } from '../../store/projects.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import { compareText } from '@x/wire'
import { sealAuthSettings } from './auth-settings.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { Caller } from '../base/caller.ts'
import { inParts } from '../records/in-parts.ts'
import { flowPage, type FlowPage } from './flow-parts.ts'
import type { FlowInput } from './flow-input.ts'
import { writeFile, writeFlows, writeTime } from './flow-writer.ts'
import { afterRemoval } from './flows.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { firstFreeName, numberedName } from '../names/numbered-name.ts'
import { refuse } from '../../refusal.ts'
import { retryTaken } from '../records/retry.ts'

/** The data of a new project. */
export interface NewProject {
  readonly name: string
  readonly description: string | null
  readonly authSettings: Record<string, unknown> | null
  /** Flows and components to move into it; those of other users are ignored. */
  readonly flowIds: readonly string[]
}

/** Changes to a project; undefined leaves a field unchanged. */
export interface ProjectChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly parentId?: string | undefined
  /** Null clears them. */
  readonly authSettings?: Record<string, unknown> | null | undefined
}

/** Selects flows for a page of a project. */
export interface ProjectPageQuery {
  readonly page: number
  readonly size: number
  readonly search: string
  readonly isComponent: boolean
  readonly isFlow: boolean
}

/** An export file of a project. */
export interface ProjectFile {
  readonly name: string
  readonly description: string | null
  readonly flows: readonly FlowInput[]
}

/** Changes to a flow's tool settings; missing fields are unchanged. */
export interface ToolChanges extends Pick<
  FlowPatch,
  'mcpEnabled' | 'actionName' | 'actionDescription'
> {
  readonly flowId: string
}

/** Projects. Projects of other users are reported as not found. */
export interface ProjectService {
  /** The default project first, then by name in code point order; in parts. */
  list(caller: Caller): AsyncIterable<readonly ProjectRecord[]>
  create(caller: Caller, input: NewProject): Promise<ProjectRecord>
  /** @throws Refusal 404 */
  get(caller: Caller, id: string): Promise<ProjectRecord>
  /** All flows of one of the caller's projects, in order of creation. */
  flows(caller: Caller, id: string): Promise<FlowPage>
  /** The same without their graphs. */
  outlines(caller: Caller, id: string): Promise<readonly FlowRecord[]>
  page(caller: Caller, id: string, query: ProjectPageQuery): Promise<FlowPage>
  /** @throws Refusal 400, 404 */
  update(caller: Caller, id: string, changes: ProjectChanges): Promise<ProjectRecord>
  /**
   * Sets which flows of a project are offered as tools, all or nothing. `authSettings` undefined: unchanged.
   * Flows outside the project are ignored. Returns how many were changed.
   * @throws Refusal 404
   */
  updateTools(
    caller: Caller,
    id: string,
    changes: Pick<UpdateTools, 'tools' | 'authSettings'>,
  ): Promise<number>
  /** @throws Refusal 404 */
  remove(caller: Caller, id: string): Promise<void>
  upload(caller: Caller, file: ProjectFile): Promise<FlowRecord[]>
}

const NOT_FOUND = 'Project not found'
const ONE_PROJECT = { kind: 'projects', added: 1 } as const

export function createProjectService(deps: ServiceDependencies): ProjectService {
  const { store } = deps
  const get = async (caller: Caller, id: string): Promise<ProjectRecord> => {
    const project = await store.projects.get(caller.id, id)
    if (project === null) throw refuse(404, NOT_FOUND)
    return project
  }
  return {
    get,
    list: (caller) => listProjects(deps, caller.id),
    create: (caller, input) =>
      deps.userLimits.within(caller.id, ONE_PROJECT, () =>
        retryTaken(['project.name'], () =>
          store.transaction(async (tx) => {
            const project = await insertProject(deps, tx, { userId: caller.id, ...input })
            await tx.flows.move(caller.id, input.flowIds, project.id)
            return project
          }),
        ),
      ),
    async flows(caller, id) {
      await get(caller, id)
      const query = { userId: caller.id, folderId: id, order: 'created', data: 'all' } as const
      return await flowPage(store.flows, query)
    },
    async outlines(caller, id) {
      await get(caller, id)
      const query = { userId: caller.id, folderId: id, order: 'created', data: 'none' } as const
      return (await store.flows.list(query)).items
    },
    async page(caller, id, query) {
      await get(caller, id)
      const isNone = query.isComponent && query.isFlow
      return await flowPage(store.flows, {
        ...(isNone ? { ids: [] } : {}),
        userId: caller.id,
        folderId: id,
        order: 'updated',
        data: 'all',
        offset: (query.page - 1) * query.size,
        limit: query.size,
        ...(query.search === '' ? {} : { search: query.search }),
        ...(query.isComponent || query.isFlow ? { isComponent: query.isComponent } : {}),
      })
    },
    update: (caller, id, changes) => updateProject(deps, { caller, id, changes }),
    updateTools: (caller, id, changes) => updateTools(deps, { caller, id, ...changes }),
    async remove(caller, id) {
      const gone = await store.transaction(async (tx) => {
        const query = { userId: caller.id, folderId: id, order: 'created', data: 'none' } as const
        if ((await tx.projects.get(caller.id, id)) === null) throw refuse(404, NOT_FOUND)
        const { items } = await tx.flows.list(query)
        const ids = await tx.flows.remove(
          caller.id,
          items.map((flow) => flow.id),
        )
        await tx.projects.remove(caller.id, id)
        return ids
      })
      await afterRemoval(deps, caller.id, gone)
    },
    upload: (caller, { name, description, flows }) =>
      deps.userLimits.within(caller.id, ONE_PROJECT, () =>
        writeFlows(deps, caller.id, flows, {
          naming: 'first-free',
          async prepare(tx) {
            const input = { userId: caller.id, name, description, authSettings: null }
            return (await insertProject(deps, tx, { ...input, naming: 'first-free' })).id
          },
        }),
      ),
  }
}

function listProjects(
  { store: { projects }, settings: { defaultFolderName: first } }: ServiceDependencies,
  userId: string,
): AsyncIterable<readonly ProjectRecord[]> {
  const rank = ({ name }: ProjectRecord): number => Number(name !== first)
  return inParts(projects.parts?.(userId, first), async () =>
    (await projects.list(userId)).toSorted(
      (a, b) => rank(a) - rank(b) || compareText(a.name, b.name),
    ),
  )
}

interface Insert {
  readonly userId: string
  readonly name: string
  readonly description: string | null
  readonly authSettings: Record<string, unknown> | null
  readonly naming?: 'first-free'
}

async function insertProject(
  { runtime, settings, secrets }: ServiceDependencies,
  tx: FlowStore,
  { userId, name, description, authSettings, naming }: Insert,
): Promise<ProjectRecord> {
  const taken = new Set(await tx.projects.names(userId, name))
  const given = authSettings !== null && Object.keys(authSettings).length > 0
  const standard = settings.autoLogin ? null : { auth_type: 'apikey' }
  const record: ProjectRecord = {
    id: runtime.uuid(),
    userId,
    name: naming === 'first-free' ? firstFreeName(name, taken) : numberedName(name, taken),
    description,
    parentId: null,
    authSettings: given
      ? await sealAuthSettings(secrets, authSettings, { stored: null, context: userId })
      : standard,
    createdAt: runtime.now(),
  }
  await tx.projects.insert(record)
  return record
}

interface Update {
  readonly caller: Caller
  readonly id: string
  readonly changes: ProjectChanges
}

async function updateProject(deps: ServiceDependencies, update: Update): Promise<ProjectRecord> {
  try {
    return await deps.store.transaction((tx) => changeProject(deps, tx, update))
  } catch (error) {
    if (isUniqueConflict(error) && error.constraint === 'project.name') {
      throw refuse(400, 'Name must be unique')
    }
    throw error
  }
}

/** Changes one project within a transaction. */
async function changeProject(
  { secrets }: ServiceDependencies,
  tx: FlowStore,
  { caller, id, changes }: Update,
): Promise<ProjectRecord> {
  const { name, description, parentId, authSettings } = changes
  const before = await tx.projects.get(caller.id, id)
  if (before === null) throw refuse(404, NOT_FOUND)
  if (parentId !== undefined) await checkParent(tx, { userId: caller.id, id, parentId })
  const sealing = { stored: before.authSettings, context: caller.id }
  const patch: ProjectPatch = {
    ...((name ?? '') === '' ? {} : { name: name ?? '' }),
    ...(description === undefined ? {} : { description }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(authSettings === undefined ? {} : { authSettings: null }),
    ...(isGiven(authSettings)
      ? { authSettings: await sealAuthSettings(secrets, authSettings, sealing) }
      : {}),
  }
  return (await tx.projects.update(caller.id, id, patch)) ?? before
}

/** Changes which flows are offered as tools, their tool names, and the project's authentication. */
async function updateTools(
  deps: ServiceDependencies,
  { caller, id, tools, authSettings }: UpdateTools,
): Promise<number> {
  const { runtime, emit } = deps
  const changed = await deps.store.transaction(async (tx) => {
    if ((await tx.projects.get(caller.id, id)) === null) throw refuse(404, NOT_FOUND)
    if (authSettings !== undefined)
      await changeProject(deps, tx, { caller, id, changes: { authSettings } })
    const records: FlowRecord[] = []
    for (const { flowId, ...changes } of tools) {
      const flow = await ownFlow(tx, caller.id, flowId)
      if (flow?.folderId !== id) continue
      const patch = { ...changes, updatedAt: writeTime(deps) }
      records.push((await tx.flows.update(caller.id, flowId, patch)) ?? flow)
    }
    return records
  })
  for (const flow of changed) {
    await writeFile(deps, flow)
    emit('flow.updated', { at: runtime.now(), userId: caller.id, id: flow.id })
  }
  return changed.length
}

interface UpdateTools {
  readonly caller: Caller
  readonly id: string
  readonly tools: readonly ToolChanges[]
  readonly authSettings: ProjectChanges['authSettings']
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}

async function checkParent(
  tx: FlowStore,
  { userId, id, parentId }: { userId: string; id: string; parentId: string },
): Promise<void> {
  const seen = new Set<string>()
  let ancestor: string | null = parentId
  while (ancestor !== null && !seen.has(ancestor)) {
    const project: ProjectRecord | null = await tx.projects.get(userId, ancestor)
    if (project === null && ancestor === parentId) throw refuse(400, 'Parent project not found')
    if (ancestor === id) throw refuse(400, 'A project cannot be its own ancestor')
    seen.add(ancestor)
    ancestor = project?.parentId ?? null
  }
}
