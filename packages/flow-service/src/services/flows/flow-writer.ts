import { eventLoopTurn } from '@x/wire'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowRecord } from '../../store/flows.ts'
import { flowToText } from './flow-text.ts'
import { ensureDefaultProject } from './default-project.ts'
import { yieldIfLarge } from './change-graph.ts'
import { findWebhooks } from './graph-text.ts'
import { resolveFsPath, writeFlowFile } from './flow-file.ts'
import type { FlowInput } from './flow-input.ts'
import { inParts } from '../records/in-parts.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { BRACKETS, createNameAllocator, DASH, type NameAllocator } from '../names/name-allocator.ts'
import { retryTaken } from '../records/retry.ts'

/** Project and naming of new flows. */
export interface WriteOptions {
  /** Overrides the folder of each flow; must be the user's project. */
  readonly folderId?: string
  /** Use the first free number instead of one more than the highest (upload of projects). */
  readonly naming?: 'first-free'
  /** Runs in the transaction before the flows are written; returns the project to use. */
  readonly prepare?: (store: FlowStore) => Promise<string | undefined>
}

/** Flows of a list that are prepared between two turns of the event loop. */
const FLOWS_AT_ONCE = 50

const TAKEN = ['flow.name', 'flow.endpointName', 'flow.webhookName', 'project.name'] as const

/**
 * Creates flows of a user. Names and endpoint names that are taken get numbers, also within the list; the
 * endpoint name of a flow with a webhook must be unique over all users. A folder that is not one of the
 * user's projects is replaced by the default project. All or nothing, including files.
 * @throws Refusal 400 for an invalid `fs_path`
 */
export async function writeFlows(
  deps: ServiceDependencies,
  userId: string,
  inputs: readonly FlowInput[],
  options: WriteOptions = {},
): Promise<FlowRecord[]> {
  for (const { fsPath } of inputs) {
    if (fsPath !== null) resolveFsPath(deps.flowFiles, userId, fsPath)
  }
  const hooked = await findHooked(inputs)
  const write = (): Promise<FlowRecord[]> =>
    retryTaken(TAKEN, () =>
      deps.store.transaction(async (tx) => {
        const folderId = (await options.prepare?.(tx)) ?? options.folderId
        const made = await prepareRecords(deps, tx, { userId, inputs, hooked, folderId, options })
        await tx.flows.insert(made)
        return made
      }),
    )
  const added = { kind: 'flows', added: inputs.length } as const
  const records = await deps.userLimits.within(userId, added, write)
  try {
    for (const record of records) await writeFile(deps, record)
  } catch (error) {
    // Files are written outside the transaction (AB-77): a flow whose file is refused is removed again.
    await deps.store.flows.remove(
      userId,
      records.map(({ id }) => id),
    )
    throw error
  }
  for (const { data } of records) await yieldIfLarge(data)
  for (const { id } of records) deps.emit('flow.created', { at: deps.runtime.now(), userId, id })
  return records
}

/** Writes the file of a flow that has an `fs_path`. */
export async function writeFile(
  { flowFiles }: ServiceDependencies,
  record: FlowRecord,
): Promise<void> {
  const { userId, fsPath } = record
  await writeFlowFile(flowFiles, {
    userId,
    fsPath,
    text: () => flowToText(record, { fsPath: true }),
  })
}

/** The time of a write, truncated to whole seconds as on the wire. */
export function writeTime({ runtime }: ServiceDependencies): Date {
  const now = runtime.now().getTime()
  return new Date(now - (now % 1000))
}

interface Batch {
  readonly userId: string
  readonly inputs: readonly FlowInput[]
  /** Those that have an endpoint name and accept webhooks. */
  readonly hooked: ReadonlySet<FlowInput>
  readonly folderId: string | undefined
  readonly options: WriteOptions
}

/** Looked for before the transaction, because others cannot write meanwhile. */
async function findHooked(inputs: readonly FlowInput[]): Promise<ReadonlySet<FlowInput>> {
  const hooked = new Set<FlowInput>()
  for (const [at, input] of inputs.entries()) {
    if (input.endpointName === null) continue
    if (at % FLOWS_AT_ONCE === FLOWS_AT_ONCE - 1) await eventLoopTurn()
    if ((await findWebhooks(input.data)).areTaken) hooked.add(input)
  }
  return hooked
}

async function prepareRecords(
  deps: ServiceDependencies,
  tx: FlowStore,
  { userId, inputs, hooked, folderId, options }: Batch,
): Promise<FlowRecord[]> {
  const allocators = await openAllocators(tx, { userId, inputs, hooked })
  const folders = await openFolders(deps, tx, { userId, inputs, folderId })
  const records: FlowRecord[] = []
  for (const [at, input] of inputs.entries()) {
    if (at % FLOWS_AT_ONCE === FLOWS_AT_ONCE - 1) await eventLoopTurn()
    const { flows } = allocators
    const name =
      options.naming === 'first-free' ? flows.firstFree(input.name) : flows.next(input.name)
    flows.add(name)
    const takesHooks = hooked.has(input)
    const endpointName = freeEndpointName(allocators, input.endpointName, takesHooks)
    records.push({
      ...input,
      id: deps.runtime.uuid(),
      userId,
      name,
      endpointName,
      webhookName: takesHooks ? endpointName : null,
      folderId: folders(input.folderId),
      createdAt: deps.runtime.now(),
      updatedAt: writeTime(deps),
    })
  }
  return records
}

/** The taken names. */
interface NameAllocators {
  readonly flows: NameAllocator
  readonly endpoints: NameAllocator
  /** For flows with webhooks: endpoint names, and webhook names of all users. */
  readonly hooks: NameAllocator
}

/** A single flow queries names similar to its own; for several, each kind of name is read once. */
async function openAllocators(
  tx: FlowStore,
  { userId, inputs, hooked }: Pick<Batch, 'userId' | 'inputs' | 'hooked'>,
): Promise<NameAllocators> {
  const [first] = inputs
  const alone = inputs.length === 1
  const isNamed = inputs.some(({ endpointName }) => endpointName !== null)
  const endpoint = alone ? (first?.endpointName ?? '') : ''
  const endpoints = isNamed ? await tx.flows.endpointNames(userId, endpoint) : []
  const webhooks = hooked.size > 0 ? await tx.flows.webhookNames(endpoint) : []
  const names = await tx.flows.names(userId, alone ? (first?.name ?? '') : '')
  return {
    flows: createNameAllocator(BRACKETS, names),
    endpoints: createNameAllocator(DASH, endpoints),
    hooks: createNameAllocator(DASH, [...endpoints, ...webhooks]),
  }
}

function freeEndpointName(
  { endpoints, hooks }: NameAllocators,
  wanted: string | null,
  takesHooks: boolean,
): string | null {
  if (wanted === null) return null
  const name = (takesHooks ? hooks : endpoints).next(wanted)
  endpoints.add(name)
  hooks.add(name)
  return name
}

/** The requested project if it is the user's, else the default project. */
async function openFolders(
  deps: ServiceDependencies,
  tx: FlowStore,
  { userId, inputs, folderId }: Pick<Batch, 'userId' | 'inputs' | 'folderId'>,
): Promise<(wanted: string | null) => string> {
  if (folderId !== undefined) return () => folderId
  const wanted = new Set(inputs.flatMap((input) => input.folderId ?? []))
  const known = new Set<string>()
  if (wanted.size > 1) {
    const { projects } = tx
    for await (const part of inParts(projects.parts?.(userId, ''), () => projects.list(userId)))
      for (const { id } of part) known.add(id)
  } else {
    for (const id of wanted) if ((await tx.projects.get(userId, id)) !== null) known.add(id)
  }
  const isKnown = (id: string | null): id is string => id !== null && known.has(id)
  const strays = inputs.some((input) => !isKnown(input.folderId))
  const fallback = strays ? (await ensureDefaultProject(deps, tx, userId)).id : ''
  return (id) => (isKnown(id) ? id : fallback)
}
