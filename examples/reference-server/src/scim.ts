import { createHash, randomBytes } from 'node:crypto'
import {
  createScimService,
  createScimTokens,
  readScimSettings,
  type ScimAuth,
  type ScimService,
  type ScimSettings,
  type ScimStore,
} from '@x/scim-core'
import { createMemoryTokenStore } from '@x/scim-core/memory'
import { openAuditLog } from './audit-log.ts'
import type { Log } from './log.ts'

/** Provisioning as the SCIM_ variables say; while it is off, every request is answered with 401. */
export async function createScim(
  store: ScimStore,
  environment: Readonly<Record<string, string | undefined>>,
  { publicUrl, log }: { readonly publicUrl: string; readonly log: Log },
): Promise<{ readonly service: ScimService; readonly enabled: boolean }> {
  const settings = readScimSettings({ SERVICE_PUBLIC_URL: publicUrl, ...environment })
  for (const warning of settings.warnings) log('warning', warning)
  const service = createScimService({
    ...settings.options,
    store,
    enabled: settings.enabled,
    baseUrl: settings.baseUrl ?? `${publicUrl}/api/v1/scim/v2`,
    auth: await authOf(settings),
    audit: openAuditLog(settings.auditLog),
    onError: (error) => log('error', String(error)),
  })
  return { service, enabled: settings.enabled }
}

/** The one token, or it and the further ones, each with its tenant, scopes and times. */
async function authOf({ token, tokens }: ScimSettings): Promise<ScimAuth> {
  if (tokens.length === 0)
    return { kind: 'token', token: token ?? randomBytes(32).toString('base64url') }
  const store = createMemoryTokenStore()
  const all = ['users:read', 'users:write', 'groups:read', 'groups:write'] as const
  const first = token === undefined ? [] : [{ ...STATIC, token, scopes: all }]
  for (const { token: clear, ...rest } of [...first, ...tokens]) {
    const digest = createHash('sha256').update(clear).digest('hex')
    await store.insert({ ...rest, digest, created: new Date(), ...FRESH })
  }
  return { kind: 'tokens', service: createScimTokens({ store }) }
}

const FRESH = { label: null, revokedAt: null, lastUsedAt: null }
const STATIC = { id: 'static', tenant: 'default', notBefore: null, expiresAt: null }
