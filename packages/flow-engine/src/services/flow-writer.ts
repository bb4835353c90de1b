import type { FlowStore } from '../store/flow-store.ts'
import type { FlowRecord } from '../store/flows.ts'
import { flowToText } from '../wire/flow-text.ts'
import { ensureDefaultProject } from './default-project.ts'
import { takesWebhooks } from './graph-text.ts'
import { resolveFsPath, writeFlowFile } from './flow-files.ts'
import type { FlowInput } from './flow-input.ts'
import type { ServiceKit } from './kit.ts'
import { firstFreeName, numberedEndpointName, numberedName } from './numbered-name.ts'
import { retryTaken } from './retry.ts'

/** How new flows get their project and names. */
export interface WriteOptions {
  /** Wins over the folder of each flow; an own project. */
  readonly folderId?: string
  /** The first free number instead of one more than the highest (upload of projects). */
  readonly naming?: 'first-free'
  /** Runs in the transaction, before the flows are written; gives the project to use. */
  readonly prepare?: (store: FlowStore) => Promise<string | undefined>
}

const TAKEN = ['flow.name', 'flow.endpointName', 'flow.webhookName', 'project.name'] as const

/**
 * Makes flows of a user: names and endpoint names in use get numbers, also inside the list; the
 * endpoint name of a flow that takes webhooks is compared with those of all users. A
 * folder that is no project of the user means the default project. All or nothing, files too.
 * @throws Refusal 400 for an `fs_path` that is refused
 */
export async function writeFlows(
  kit: ServiceKit,
  userId: string,
  inputs: readonly FlowInput[],
  options: WriteOptions = {},
): Promise<FlowRecord[]> {
  for (const { fsPath } of inputs) {
    if (fsPath !== null) resolveFsPath(kit.flowFiles, userId, fsPath)
  }
  const records = await retryTaken(TAKEN, () =>
    kit.store.transaction(async (tx) => {
      const folderId = (await options.prepare?.(tx)) ?? options.folderId
      const made = await prepareRecords(kit, tx, { userId, inputs, folderId, options })
      await tx.flows.insert(made)
      return made
    }),
  )
  try {
    for (const record of records) await writeFile(kit, record)
  } catch (error) {
    // Files are written outside of the transaction (AB-77): a flow whose file is refused goes again.
    await kit.store.flows.remove(
      userId,
      records.map(({ id }) => id),
    )
    throw error
  }
  for (const { id } of records) kit.emit('flow.created', { at: kit.runtime.now(), userId, id })
  return records
}

/** Writes the file of a flow that has an `fs_path`. */
export async function writeFile({ flowFiles }: ServiceKit, record: FlowRecord): Promise<void> {
  const { userId, fsPath } = record
  await writeFlowFile(flowFiles, {
    userId,
    fsPath,
    text: () => flowToText(record, { fsPath: true }),
  })
}

/** The time of a write, in whole seconds as the wire shows it. */
export function writeTime({ runtime }: ServiceKit): Date {
  const now = runtime.now().getTime()
  return new Date(now - (now % 1000))
}

interface Batch {
  readonly userId: string
  readonly inputs: readonly FlowInput[]
  readonly folderId: string | undefined
  readonly options: WriteOptions
}

async function prepareRecords(
  kit: ServiceKit,
  tx: FlowStore,
  { userId, inputs, folderId, options }: Batch,
): Promise<FlowRecord[]> {
  const rename = options.naming === 'first-free' ? firstFreeName : numberedName
  const [names, endpointNames] = [new Set<string>(), new Set<string>()]
  const records: FlowRecord[] = []
  for (const input of inputs) {
    for (const name of await tx.flows.names(userId, input.name)) names.add(name)
    const name = rename(input.name, names)
    names.add(name)
    const takesHooks = takesWebhooks(input.data)
    const endpointName = await freeEndpointName(tx, input.endpointName, {
      userId,
      takesHooks,
      taken: endpointNames,
    })
    records.push({
      ...input,
      id: kit.runtime.uuid(),
      userId,
      name,
      endpointName,
      webhookName: takesHooks ? endpointName : null,
      folderId: folderId ?? (await folderOf(kit, tx, { userId, folderId: input.folderId })),
      createdAt: kit.runtime.now(),
      updatedAt: writeTime(kit),
    })
  }
  return records
}

async function freeEndpointName(
  tx: FlowStore,
  wanted: string | null,
  { userId, takesHooks, taken }: { userId: string; takesHooks: boolean; taken: Set<string> },
): Promise<string | null> {
  if (wanted === null) return null
  for (const name of await tx.flows.endpointNames(userId, wanted)) taken.add(name)
  if (takesHooks) for (const name of await tx.flows.webhookNames(wanted)) taken.add(name)
  const name = numberedEndpointName(wanted, taken)
  taken.add(name)
  return name
}

async function folderOf(
  kit: ServiceKit,
  tx: FlowStore,
  { userId, folderId }: { userId: string; folderId: string | null },
): Promise<string> {
  const known = folderId === null ? null : await tx.projects.get(userId, folderId)
  return (known ?? (await ensureDefaultProject(kit, tx, userId))).id
}
