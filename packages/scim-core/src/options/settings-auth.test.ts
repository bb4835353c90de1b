import { createTestRuntime } from '@x/wire'
import { expect, test } from 'vitest'
import { createSettingsAuth } from './settings-auth.ts'
import { readScimSettings } from './settings.ts'

test('SC-4 SCIM_TOKENS are evaluated in addition to SCIM_TOKEN, at the time of the request', async () => {
  const runtime = createTestRuntime()
  const settings = readScimSettings({
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: 'main',
    SCIM_TOKENS:
      '[{"id":"okta","token":"other","tenant":"acme","scopes":["users:read"],"notBefore":"2030-01-01T00:00:05Z","expiresAt":"2030-01-01T00:00:10Z"}]',
  })
  const auth = createSettingsAuth(settings, { runtime })
  if (auth.kind !== 'tokens') throw new Error('not tokens')
  expect(await auth.service.authenticate('main')).toMatchObject({ id: 'static', tenant: 'default' })
  expect(await auth.service.authenticate('other')).toBeNull()
  await runtime.advance(5_000)
  expect(await auth.service.authenticate('other')).toEqual({
    id: 'okta',
    tenant: 'acme',
    scopes: ['users:read'],
    kind: 'token',
  })
  expect(await auth.service.authenticate('wrong')).toBeNull()
  await runtime.advance(5_000)
  expect(await auth.service.authenticate('other')).toBeNull()
})

test('SC-68 one token alone is the static one', () => {
  expect(createSettingsAuth({ token: 't', tokens: [] })).toEqual({ kind: 'token', token: 't' })
})
