import { createHash } from 'node:crypto'
import type { SecretBox } from '@x/flow-service'
import { isBlobKey, type BlobStore, type FlowRecord, type FlowStore } from '@x/flow-service/store'
import { isUniqueConflict } from '@x/flow-engine/store'
import { problemOf, problemOfFlow, problemOfMessage, problemOfUser } from './check-record.ts'
import type { Report } from './report.ts'
import type { Source, SourceFile, SourceFlow } from './source.ts'

export interface Target {
  readonly store: FlowStore
  readonly files: BlobStore
  readonly secrets: SecretBox
}

/**
 * Copies all records that do not exist yet, keeping their ids; a user whose name exists is mapped to that
 * user. Records that cannot be copied are skipped and reported; a second run changes nothing.
 */
export async function copyInstallation(
  source: Source,
  target: Target,
  report: Report,
): Promise<void> {
  const owners = await copyUsers(source, target, report)
  await copyProjects(source, { ...target, owners, report })
  await copyFlows(source, { ...target, owners, report })
  await copyVariables(source, { ...target, owners, report })
  await copyApiKeys(source, { ...target, owners, report })
  await copyFiles(source, { ...target, owners, report })
  await copyMessages(source, { ...target, owners, report })
}

/** Maps the other service's users to users of this one. */
type Owners = ReadonlyMap<string, string>

interface Copying extends Target {
  readonly owners: Owners
  readonly report: Report
}

const NO_OWNER = 'its owner was not copied'

async function copyUsers(source: Source, { store }: Target, report: Report): Promise<Owners> {
  const owners = new Map<string, string>()
  for await (const user of source.users()) {
    const problem = problemOfUser(user)
    if (problem !== null) {
      report.skipped('users', user.username, problem)
      continue
    }
    const same =
      (await store.users.get(user.id)) ?? (await store.users.findByUsername(user.username))
    owners.set(user.id, same?.id ?? user.id)
    if (same !== null) {
      report.present('users')
      if (same.id !== user.id) report.note('users', user.username, 'is the user of that name here')
      continue
    }
    const { passwordHash } = user
    const known = passwordHash?.startsWith('$2') === true
    if (!known) report.note('users', user.username, 'has no password here; a superuser sets one')
    await store.users.insert({
      ...user,
      passwordHash: known ? passwordHash : null,
      profileImage: null,
      storeApiKey: null,
      tokenEpoch: 0,
      optins: null,
      lastLoginAt: null,
    })
    report.copied('users')
  }
  return owners
}

async function copyProjects(source: Source, { store, owners, report }: Copying): Promise<void> {
  for await (const project of source.projects()) {
    const userId = owners.get(project.userId)
    const problem = problemOf(project)
    if (userId === undefined || problem !== null) {
      report.skipped('projects', project.name, problem ?? NO_OWNER)
    } else if (
      (await store.projects.find(project.id)) !== null ||
      (await store.projects.findByName(userId, project.name)) !== null
    ) {
      report.present('projects')
    } else {
      const { parentId } = project
      const parent = parentId === null ? null : await store.projects.get(userId, parentId)
      await store.projects.insert({
        ...project,
        userId,
        parentId: parent?.id ?? null,
        authSettings: null,
        createdAt: new Date(),
      })
      report.copied('projects')
    }
  }
}

async function copyFlows(source: Source, { store, owners, report }: Copying): Promise<void> {
  const folders = await foldersByName(source, { store, owners })
  for await (const flow of source.flows()) {
    const userId = owners.get(flow.userId)
    const problem = problemOfFlow(flow)
    if (userId === undefined || problem !== null)
      report.skipped('flows', flow.name, problem ?? NO_OWNER)
    else if ((await store.flows.get(flow.id)) !== null) report.present('flows')
    else await insertFlow(flow, userId, folders.get(flow.folderId ?? '') ?? null)
  }

  async function insertFlow(flow: SourceFlow, userId: string, folderId: string | null) {
    const { isPublic, ...rest } = flow
    const record: FlowRecord = {
      ...rest,
      userId,
      folderId,
      data: ownFiles(flow.data, flow.userId, userId),
      webhookName: flow.webhook ? flow.endpointName : null,
      accessType: isPublic ? 'PUBLIC' : 'PRIVATE',
      fsPath: null,
      createdAt: flow.updatedAt,
    }
    try {
      await store.flows.insert([record])
    } catch (error) {
      if (!isUniqueConflict(error)) throw error
      if (error.constraint !== 'flow.webhookName') {
        report.skipped(
          'flows',
          flow.name,
          `another flow here has its ${FIELD[error.constraint] ?? 'id'}`,
        )
        return
      }
      await store.flows.insert([{ ...record, webhookName: null }])
      report.note('flows', flow.name, 'its webhook is reached by its id, another user has the name')
    }
    report.copied('flows')
  }
}

const FIELD: Readonly<Record<string, string>> = {
  'flow.name': 'name',
  'flow.endpointName': 'endpoint name',
}

/** A project that already exists under another id receives the flows of its namesake. */
async function foldersByName(
  source: Source,
  { store, owners }: Pick<Copying, 'store' | 'owners'>,
): Promise<Map<string, string>> {
  const folders = new Map<string, string>()
  for await (const { id, userId, name } of source.projects()) {
    const owner = owners.get(userId)
    if (owner === undefined) continue
    const here =
      (await store.projects.get(owner, id)) ?? (await store.projects.findByName(owner, name))
    if (here !== null) folders.set(id, here.id)
  }
  return folders
}

/** File addresses contain the owner's id, which is replaced. */
function ownFiles(data: string | null, before: string, now: string): string | null {
  return before === now ? data : (data?.replaceAll(`${before}/`, `${now}/`) ?? null)
}

async function copyVariables(source: Source, copying: Copying): Promise<void> {
  const { store, secrets, owners, report } = copying
  for await (const variable of source.variables()) {
    const userId = owners.get(variable.userId)
    const problem = problemOf(variable)
    if (userId === undefined || problem !== null) {
      report.skipped('variables', variable.name, problem ?? NO_OWNER)
    } else if ((await store.variables.findByName(userId, variable.name)) !== null) {
      report.present('variables')
    } else if (variable.value === null) {
      report.skipped('variables', variable.name, 'its value cannot be read; enter it again')
    } else {
      const now = new Date()
      const value = await secrets.seal(variable.value, userId)
      await store.variables.insert({ ...variable, userId, value, createdAt: now, updatedAt: now })
      report.copied('variables')
    }
  }
}

async function copyApiKeys(source: Source, { store, owners, report }: Copying): Promise<void> {
  for await (const { key, ...apiKey } of source.apiKeys()) {
    const userId = owners.get(apiKey.userId)
    const name = apiKey.name ?? apiKey.id
    const problem = problemOf(apiKey)
    if (userId === undefined || problem !== null) {
      report.skipped('api keys', name, problem ?? NO_OWNER)
    } else if (key === null) {
      report.skipped('api keys', name, 'it cannot be read; make another')
    } else {
      const hash = createHash('sha256').update(key).digest('hex')
      if ((await store.apiKeys.findByHash(hash)) !== null) {
        report.present('api keys')
        continue
      }
      const prefix = key.slice(0, 8)
      await store.apiKeys.insert({
        ...apiKey,
        userId,
        hash,
        prefix,
        agentId: null,
        totalUses: 0,
        lastUsedAt: null,
      })
      report.copied('api keys')
    }
  }
}

/** The other service stores its MCP servers, with their secrets, in a file of the user. */
const TOOL_SERVERS = /^_mcp_servers/

async function copyFiles(source: Source, copying: Copying): Promise<void> {
  const { report } = copying
  for await (const file of source.files()) {
    const name = file.listed?.name ?? file.storedName
    const ownerId = await ownerOf(file, copying)
    const key = `${file.owner}s/${ownerId}/${file.storedName}`
    const problem = file.listed === null ? null : problemOf(file.listed)
    if (problem !== null) report.skipped('files', name, problem)
    else if (TOOL_SERVERS.test(file.storedName))
      report.skipped('files', name, 'enter MCP servers again')
    else if (ownerId === undefined) report.skipped('files', name, NO_OWNER)
    else if (!isBlobKey(key)) report.skipped('files', name, 'its name cannot be stored')
    else if ((await copying.files.size(key)) !== null) report.present('files')
    else await copyFile(file, { ...copying, ownerId, key, name })
  }
}

async function ownerOf(file: SourceFile, { store, owners }: Copying): Promise<string | undefined> {
  if (file.owner === 'user') return owners.get(file.ownerId)
  return (await store.flows.get(file.ownerId))?.id
}

async function copyFile(
  file: SourceFile,
  place: Copying & { readonly ownerId: string; readonly key: string; readonly name: string },
): Promise<void> {
  const { store, files, report, ownerId, key, name } = place
  const bytes = await file.read()
  if (bytes === null) {
    report.skipped('files', name, 'its bytes are not in the configuration folder')
    return
  }
  await files.write(key, bytes)
  if (file.listed !== null) {
    const { id, createdAt } = file.listed
    const path = `${ownerId}/${file.storedName}`
    const size = bytes.byteLength
    const times = { createdAt, updatedAt: createdAt }
    try {
      await store.userFiles.insert({
        id,
        userId: ownerId,
        name,
        path,
        size,
        provider: null,
        ...times,
      })
    } catch (error) {
      if (!isUniqueConflict(error)) throw error
      report.note('files', name, 'runs can read it, but the list has another file of that name')
    }
  }
  report.copied('files')
}

async function copyMessages(source: Source, { store, report }: Copying): Promise<void> {
  for await (const message of source.messages()) {
    const { id, flowId } = message
    const problem = problemOfMessage(message)
    const flow = flowId === null || problem !== null ? null : await store.flows.get(flowId)
    if (flow === null) {
      report.skipped('messages', id, problem ?? 'its flow was not copied')
    } else if ((await store.messages.get(id)) === null) {
      await store.messages.insert({ ...message, userId: flow.userId, duration: null })
      report.copied('messages')
    } else {
      report.present('messages')
    }
  }
}
