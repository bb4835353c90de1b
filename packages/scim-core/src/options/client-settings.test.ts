import { describe, expect, test } from 'vitest'
import { readScimSettings } from './settings.ts'

const SECRET = 'a-secret-of-thirty-two-characters'
const END = '2031-01-01T00:00:00Z'
const ON = { SCIM_ENABLED: 'true' }
const secrets = [{ secret: SECRET, expiresAt: END }]
const federation = { issuer: 'i', subject: 's', audience: 'a', jwksUri: 'https://keys.example' }

const clientsOf = (value: unknown) => ({ ...ON, SCIM_OAUTH_CLIENTS: JSON.stringify(value) })

describe('SF-32 SCIM_OAUTH_CLIENTS', () => {
  test('a client is enough to start, and no secret is kept', () => {
    const settings = readScimSettings(
      clientsOf([
        {
          id: 'entra',
          secrets: [...secrets, { ...secrets[0], notBefore: '2030-01-01T00:00:00Z' }],
        },
        { id: 'workload', tenant: 'acme', scopes: ['users:read'], federation },
      ]),
    )
    expect(settings.oauth).toMatchObject({ ttlSeconds: 3_600, issuer: undefined })
    const [entra, workload] = settings.oauth?.clients ?? []
    expect(entra).toMatchObject({ id: 'entra', tenant: 'default', federation: null })
    expect(entra?.scopes).toHaveLength(4)
    expect(entra?.secrets[1]).toMatchObject({
      expiresAt: new Date(END),
      notBefore: new Date('2030-01-01T00:00:00Z'),
    })
    expect(workload).toMatchObject({ tenant: 'acme', scopes: ['users:read'], federation })
    expect(JSON.stringify(settings)).not.toContain(SECRET)
    expect(() => readScimSettings(ON)).toThrow('SCIM_TOKEN is required')
  })

  test.each([
    ['{', 'must be a JSON list'],
    [{}, 'must be a JSON list'],
    [[1], '[0] must be an object'],
    [[{ secrets }], '[0].id'],
    [[{ id: 'a' }], '[0] must have either secrets or federation'],
    [[{ id: 'a', secrets, federation }], '[0] must have either'],
    [[{ id: 'a', secrets, color: 1 }], '[0] may have id'],
    [
      [
        { id: 'a', secrets },
        { id: 'b', secrets: [] },
      ],
      '[1].secrets must be',
    ],
    [[{ id: 'a', secrets: [{ secret: SECRET }] }], '[0].secrets[0].expiresAt'],
    [[{ id: 'a', secrets: [{ ...secrets[0], expiresAt: 'soon' }] }], '[0].secrets[0].expiresAt'],
    [[{ id: 'a', secrets: [{ ...secrets[0], secret: 'short' }] }], '[0].secrets[0].secret'],
    [[{ id: 'a', secrets: [{ ...secrets[0], secret: 'x'.repeat(256) }] }], '[0].secrets[0].secret'],
    [[{ id: 'a', secrets: [{ ...secrets[0], notBefore: 1 }] }], '[0].secrets[0].notBefore'],
    [[{ id: 'a', secrets, scopes: ['all'] }], '[0].scopes'],
    [[{ id: 'a', secrets, tenant: '' }], '[0].tenant'],
    [[{ id: 'a', federation: { ...federation, subject: '' } }], '[0].federation.subject'],
    [[{ id: 'a', federation: { ...federation, jwksUri: 'http://k.example' } }], 'jwksUri'],
    [
      [
        { id: 'a', secrets },
        { id: 'a', secrets },
      ],
      '[1].id is that of an earlier entry',
    ],
  ])('%j stops the start: %s', (value, message) => {
    const env = typeof value === 'string' ? { ...ON, SCIM_OAUTH_CLIENTS: value } : clientsOf(value)
    const read = () => readScimSettings(env)
    expect(read).toThrow(message)
    expect(read).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(SECRET) as string }) as Error,
    )
  })

  test.each([
    ['SCIM_OAUTH_TTL', '3599'],
    ['SCIM_OAUTH_TTL', '21601'],
    ['SCIM_OAUTH_TTL', '1h'],
    ['SCIM_OAUTH_ISSUER', 'login.example'],
    ['SCIM_OAUTH_ISSUER', 'https://login.example/?a=b'],
  ])('SF-31 %s=%s stops the start', (name, value) => {
    expect(() => readScimSettings({ [name]: value })).toThrow(name)
  })
})
