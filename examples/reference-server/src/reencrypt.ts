import { createFlowService, type Reencrypted, type UnreadableValue } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { createFlowStore } from '@x/store-kysely/flow'
import { createScimStore } from '@x/store-kysely/scim'
import { joinDatabase } from './database.ts'
import { resealKey } from './scim-oauth.ts'
import { readSecretKeys } from './secret-key.ts'
import type { Settings } from './settings/read-settings.ts'

/**
 * Encrypts every stored value again with the current secret key, beside a running server or without one.
 * @returns what was done, in one line, and whether some value cannot be read
 * @throws SettingsError; the error of a database that is not migrated
 */
export async function reencrypt(
  settings: Settings,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const folder = settings.SERVICE_CONFIG_DIR ?? './data'
  const secretKey = readSecretKeys(settings, folder)
  const db = joinDatabase(settings.SERVICE_DATABASE_URL, { folder })
  try {
    const store = createFlowStore(db)
    await store.ping()
    const engine = createFlowService({
      store,
      files: createMemoryBlobStore(),
      jobs: 'memory',
      secretKey,
      // What cannot be read is part of the answer.
      onError: () => undefined,
    })
    const done = await engine.services.secrets.reencrypt({ signal })
    await engine.close()
    const ofScim = await resealKey(createScimStore(db).kept, secretKey)
    const names = await Promise.all(
      done.unreadable.map(async (value) => describe(value, await store.users.get(value.userId))),
    )
    const text = summary({ ...done, reencrypted: done.reencrypted + (ofScim ? 1 : 0) }, names)
    return { text, isWhole: done.unreadable.length === 0 && done.left === 0 }
  } finally {
    await db.destroy()
  }
}

function summary({ reencrypted, left, unreadable }: Reencrypted, names: readonly string[]): string {
  const those = names.length === 0 ? '' : ` (${names.join(', ')})`
  return `Re-encrypted ${reencrypted} values, ${left} left, ${unreadable.length} unreadable${those}`
}

const NOUNS = {
  variable: 'variable',
  toolServer: 'tool server',
  project: 'MCP settings of project',
  collection: 'key of knowledge base',
  storeKey: 'store key',
} as const

function describe(
  { kind, name, userId }: UnreadableValue,
  user: { readonly username: string } | null,
): string {
  const owner = user?.username ?? userId
  return kind === 'storeKey' ? `${NOUNS[kind]} of ${owner}` : `${NOUNS[kind]} ${name} of ${owner}`
}
