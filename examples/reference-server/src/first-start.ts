import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FlowService } from '@x/flow-service'
import type { FlowStore } from '@x/flow-service/store'
import type { Settings } from './settings/read-settings.ts'

const ECHO = new URL('../flows/echo.json', import.meta.url)

/** Credentials created at the first start and shown once. Later starts only have the name. */
export interface FirstStart {
  readonly username: string
  /** Id of the new superuser; undefined if one existed. */
  readonly id?: string
  /** Set if it was generated. */
  readonly password?: string
  /** Set if the password was generated: an operator who chose one signs in and makes keys. */
  readonly apiKey?: string
  /** The default project of the superuser, if there is one. */
  readonly projectId?: string
}

/**
 * Creates the superuser and the flow `echo` if there is no superuser yet, and an API key unless the settings
 * have a password, because printed keys may end up in logs. An existing superuser is not changed. If several
 * servers start at the same time on an empty database, one of them creates these records.
 */
export async function prepareFirstStart(
  engine: FlowService,
  store: FlowStore,
  settings: Settings,
): Promise<FirstStart> {
  const existing = await store.users.findSuperuser()
  if (existing !== null)
    return { username: existing.username, ...(await projectOf(store, existing.id)) }
  const username = settings.SERVICE_SUPERUSER ?? 'admin'
  const generated = randomBytes(18).toString('base64url')
  const { SERVICE_SUPERUSER_PASSWORD: chosen } = settings
  const password = chosen ?? generated
  const { users } = engine.services
  let record
  try {
    record = await users.create({ username, password, isActive: true, isSuperuser: true })
  } catch (error) {
    const made = await store.users.findSuperuser()
    if (made === null) throw error
    return { username: made.username }
  }
  const post = postAs(engine, record.id)
  await post('/api/v1/flows/', await readFile(ECHO, 'utf8'))
  const made = { username, id: record.id, ...(await projectOf(store, record.id)) }
  if (chosen !== undefined) return made
  const { api_key: apiKey } = await post('/api/v1/api_key/', '{"name":"first start"}')
  return { ...made, password, ...(apiKey === undefined ? {} : { apiKey }) }
}

async function projectOf(store: FlowStore, userId: string): Promise<{ projectId?: string }> {
  const [first] = await store.projects.list(userId)
  return first === undefined ? {} : { projectId: first.id }
}

/** Calls operations of the flow API in process, as a user. */
function postAs({ handler }: FlowService, userId: string) {
  return async (path: string, body: string): Promise<{ api_key?: string }> => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    const response = await handler(request, { user: { userId, isSuperuser: true } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { api_key?: string }
  }
}
