import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FlowEngine, FlowStore } from '@x/flow-engine'
import type { Settings } from './settings/read-settings.ts'

const ECHO = new URL('../flows/echo.json', import.meta.url)

/** What the first start made, to be shown once; the name alone on later starts. */
export interface FirstStart {
  readonly username: string
  /** Set when it was generated. */
  readonly password?: string
  readonly apiKey?: string
}

/**
 * Makes the superuser, an API key and the flow `echo` where there is no superuser yet. An existing
 * one is left alone, whatever the environment says. Of servers that start at once on one empty
 * database, one makes them.
 */
export async function prepareFirstStart(
  engine: FlowEngine,
  store: FlowStore,
  settings: Settings,
): Promise<FirstStart> {
  const existing = await store.users.findSuperuser()
  if (existing !== null) return { username: existing.username }
  const username = settings.SERVICE_SUPERUSER ?? 'admin'
  const generated = randomBytes(18).toString('base64url')
  const password = settings.SERVICE_SUPERUSER_PASSWORD ?? generated
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
  const { api_key: apiKey } = await post('/api/v1/api_key/', '{"name":"first start"}')
  await post('/api/v1/flows/', await readFile(ECHO, 'utf8'))
  return {
    username,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(password === generated ? { password } : {}),
  }
}

/** Calls operations of the flow API in process, as a user. */
function postAs({ handler }: FlowEngine, userId: string) {
  return async (path: string, body: string): Promise<{ api_key?: string }> => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    const response = await handler(request, { user: { userId, isSuperuser: true } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { api_key?: string }
  }
}
