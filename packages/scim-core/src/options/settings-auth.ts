import { constantTimeEqual, createSystemRuntime, type Runtime } from '@x/wire'
import type { ScimAuth } from './auth.ts'
import { sha256 } from '../base/digest.ts'
import { ALL_SCOPES, type ScimPrincipal } from '../base/principal.ts'
import type { ScimSettings } from './settings.ts'

/**
 * Authenticates with the tokens of the settings: `SCIM_TOKEN` (principal `static`, tenant `default`) and
 * `SCIM_TOKENS`, whose validity is checked on every request.
 */
export function createSettingsAuth(
  { token, tokens }: Pick<ScimSettings, 'token' | 'tokens'>,
  { runtime = createSystemRuntime() }: { readonly runtime?: Runtime } = {},
): ScimAuth {
  if (token !== undefined && tokens.length === 0) return { kind: 'token', token }
  const known = tokens.map((entry) => ({ ...entry, digest: sha256(entry.token) }))
  if (token !== undefined) {
    const limits = { tenant: 'default', scopes: ALL_SCOPES, notBefore: null, expiresAt: null }
    known.push({ id: 'static', token: '', digest: sha256(token), ...limits })
  }

  const authenticate = async (text: string): Promise<ScimPrincipal | null> => {
    const digest = sha256(text)
    const now = runtime.now()
    // All are compared, so that timing does not reveal which one matched.
    const matches = known.filter((entry) => constantTimeEqual(entry.digest, digest))
    const valid = matches.find(
      ({ notBefore, expiresAt }) =>
        (notBefore === null || now >= notBefore) && (expiresAt === null || now < expiresAt),
    )
    if (valid === undefined) return null
    const { id, tenant, scopes } = valid
    return { id, tenant, scopes, kind: 'token' }
  }
  return { kind: 'tokens', service: { authenticate } }
}
