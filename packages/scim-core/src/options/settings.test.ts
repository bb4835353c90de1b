import { describe, expect, test } from 'vitest'
import { readScimSettings } from './settings.ts'

const ON = { SCIM_ENABLED: 'true', SCIM_TOKEN: 'a-token-of-sixteen' }

describe('readScimSettings', () => {
  test('SC-4 the defaults', () => {
    expect(readScimSettings({ SERVICE_PUBLIC_URL: 'https://app.example/' })).toEqual({
      enabled: false,
      token: undefined,
      tokens: [],
      baseUrl: 'https://app.example/api/v1/scim/v2',
      options: {
        userName: 'email',
        emailConflict: 'primary',
        recreate: 'same',
        deleteUser: 'deactivate',
        publicDiscovery: false,
        uniqueGroupNames: true,
        unknownMembers: 'reject',
        emptyMembers: 'array',
        quirks: 'all',
        pageSize: 100,
        maxPageSize: 200,
        bulk: false,
        etag: false,
        cursor: false,
        allowedAddresses: [],
      },
      auditLog: 'stdout',
      warnings: [],
    })
  })

  test.each([
    [{}, { deleteUser: 'deactivate', recreate: 'same' }],
    [{ SCIM_PROVIDER: 'Google' }, { deleteUser: 'tombstone', recreate: 'same' }],
    [{ SCIM_PROVIDER: 'okta' }, { deleteUser: 'deactivate', recreate: 'externalId' }],
    [{ SCIM_PROVIDER: 'jumpcloud' }, { deleteUser: 'deactivate', recreate: 'name' }],
    [
      { SCIM_PROVIDER: 'google', SCIM_DELETE_USER: 'remove', SCIM_RECREATE: 'EXTERNALID' },
      { deleteUser: 'remove', recreate: 'externalId' },
    ],
    [{ SCIM_PROVIDER: 'google', SCIM_PROFILE: 'interop' }, { deleteUser: 'remove' }],
    [{ SCIM_EMAIL_CONFLICT: 'username' }, { emailConflict: 'userName' }],
  ])('SF-29 %j presets %j', (env, options) => {
    expect(readScimSettings(env).options).toMatchObject(options)
  })

  test('SF-29 an unknown provider stops the start', () => {
    expect(() => readScimSettings({ SCIM_PROVIDER: 'acme' })).toThrow(
      /SCIM_PROVIDER must be one of/,
    )
  })

  test('SC-4 every variable', () => {
    const settings = readScimSettings({
      ...ON,
      SCIM_BASE_URL: 'https://scim.example/x',
      SCIM_USER_NAME: 'any',
      SCIM_DELETE_USER: 'Remove',
      SCIM_PUBLIC_DISCOVERY: 'TRUE ',
      SCIM_UNIQUE_GROUP_NAMES: 'false',
      SCIM_UNKNOWN_MEMBERS: 'skip',
      SCIM_EMPTY_MEMBERS: 'omit',
      SCIM_QUIRKS: 'opCase, booleanStrings',
      SCIM_PAGE_SIZE: '10',
      SCIM_MAX_PAGE_SIZE: '20',
      SCIM_BULK: 'true',
      SCIM_ETAG: 'true',
      SCIM_CURSOR: 'true',
      SCIM_CURSOR_TTL: '30',
      SCIM_CURSOR_SECRET: 's',
      SCIM_AUDIT_LOG: '/var/log/scim',
      SCIM_ALLOWED_ADDRESSES: '10.0.0.0/8, ::1',
    })
    expect(settings).toMatchObject({
      enabled: true,
      token: ON.SCIM_TOKEN,
      baseUrl: 'https://scim.example/x',
      auditLog: '/var/log/scim',
      warnings: [],
      options: {
        userName: 'any',
        deleteUser: 'remove',
        publicDiscovery: true,
        uniqueGroupNames: false,
        unknownMembers: 'skip',
        emptyMembers: 'omit',
        quirks: { opCase: true, booleanStrings: true, pathKeys: false },
        pageSize: 10,
        maxPageSize: 20,
        bulk: true,
        etag: true,
        cursor: { ttl: 30, secret: 's' },
        allowedAddresses: ['10.0.0.0/8', '::1'],
      },
    })
  })

  test.each([
    [{ SCIM_ENABLED: 'true' }, 'SCIM_TOKEN'],
    [{ SCIM_ENABLED: 'true', SCIM_TOKEN: '  ' }, 'SCIM_TOKEN'],
    [{ SCIM_DELETE_USER: 'erase' }, 'SCIM_DELETE_USER'],
    [{ SCIM_USER_NAME: 'mail' }, 'SCIM_USER_NAME'],
    [{ SCIM_QUIRKS: 'opCase,odd' }, 'SCIM_QUIRKS'],
    [{ SCIM_PAGE_SIZE: 'ten' }, 'SCIM_PAGE_SIZE'],
    [{ SCIM_BASE_URL: 'nowhere' }, 'SCIM_BASE_URL'],
    [{ SCIM_TOKENS: '{' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":""}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"  "}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"t u"}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"t","scopes":["all"]}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"t","expiresAt":"soon"}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"t","expiresAt":"2030-01-01"}]' }, 'SCIM_TOKENS'],
    [{ SCIM_TOKENS: '[{"id":"a","token":"t"},{"id":"a","token":"u"}]' }, 'SCIM_TOKENS'],
  ])('SC-4 %j stops the start and names the variable', (env, option) => {
    expect(() => readScimSettings(env)).toThrow(
      expect.objectContaining({ option, message: expect.stringContaining(option) }),
    )
  })

  test('SC-4 SCIM_TOKENS alone is enough', () => {
    const text =
      '[{"id":"okta","token":"t","tenant":"acme","scopes":["users:read"],"notBefore":"2030-01-01T00:00:00Z"}]'
    expect(readScimSettings({ SCIM_ENABLED: 'true', SCIM_TOKENS: text }).tokens).toEqual([
      {
        id: 'okta',
        token: 't',
        tenant: 'acme',
        scopes: ['users:read'],
        notBefore: new Date('2030-01-01T00:00:00Z'),
        expiresAt: null,
      },
    ])
  })

  test('SC-4 defaults of a SCIM_TOKENS entry: tenant default, all scopes, no time limits', () => {
    expect(readScimSettings({ SCIM_TOKENS: '[{"id":"a","token":"t"}]' }).tokens).toEqual([
      {
        id: 'a',
        token: 't',
        tenant: 'default',
        scopes: ['users:read', 'users:write', 'groups:read', 'groups:write'],
        notBefore: null,
        expiresAt: null,
      },
    ])
  })

  test('SC-4 a cursor expires after 600 seconds, and its secret is random unless given', () => {
    expect(readScimSettings({ SCIM_CURSOR: 'true' }).options.cursor).toEqual({ ttl: 600 })
  })

  test('SC-4 SCIM_QUIRKS: all, none, or a list', () => {
    const quirks = (text: string): unknown => readScimSettings({ SCIM_QUIRKS: text }).options.quirks
    expect([quirks(''), quirks('all'), quirks(' none ')]).toEqual(['all', 'all', 'none'])
    expect(() => quirks('all,none')).toThrow(expect.objectContaining({ option: 'SCIM_QUIRKS' }))
  })

  test.each(['SCIM_USER_NAME', 'SCIM_DELETE_USER', 'SCIM_UNKNOWN_MEMBERS', 'SCIM_EMPTY_MEMBERS'])(
    'SC-4 the message about %s names the values allowed',
    (name) => {
      const allowed = {
        SCIM_USER_NAME: 'email, any',
        SCIM_DELETE_USER: 'deactivate, tombstone, remove',
        SCIM_UNKNOWN_MEMBERS: 'reject, skip',
        SCIM_EMPTY_MEMBERS: 'array, omit',
      }[name]
      expect(() => readScimSettings({ [name]: 'odd' })).toThrow(`${name} must be one of ${allowed}`)
    },
  )

  test('SC-4 SH-83 a short token is accepted on loopback addresses only', () => {
    const short = { SCIM_ENABLED: 'true', SCIM_TOKEN: 'fifteen-letters' }
    const long = { ...short, SCIM_TOKEN: 'sixteen-letters-' }
    const at = (SCIM_BASE_URL: string) => ({ SCIM_BASE_URL })
    const [local, proxied] = [at('http://127.0.0.1:7860/scim'), at('https://app.example/scim')]
    expect(readScimSettings({ ...long, ...local }).warnings).toEqual([])
    expect(readScimSettings({ ...long, ...proxied }).warnings).toEqual([])
    expect(readScimSettings({ ...short, ...local }).warnings).toEqual([
      'SCIM_TOKEN has fewer than 16 characters: enough only while nobody else reaches this machine',
    ])
    expect(() => readScimSettings({ ...short, ...proxied })).toThrow(
      'SCIM_TOKEN must have at least 16 characters, unless the service is on a loopback address',
    )
    const list = { SCIM_TOKENS: '[{"id":"a","token":"short"}]' }
    expect(() => readScimSettings({ ...long, ...list, ...proxied })).toThrow(
      expect.objectContaining({ option: 'SCIM_TOKENS' }),
    )
    // While provisioning is off, the token lets nobody in.
    expect(readScimSettings({ ...short, ...proxied, SCIM_ENABLED: 'false' }).warnings).toEqual([])
  })

  test('SC-4 invalid booleans count as false with a warning; plain http is warned about', () => {
    const settings = readScimSettings({
      ...ON,
      SCIM_BULK: 'yes',
      SCIM_ETAG: '1',
      SCIM_BASE_URL: 'http://app.example/scim',
    })
    expect(settings.options).toMatchObject({ bulk: false, etag: false })
    expect(settings.warnings).toHaveLength(3)
    expect(settings.warnings.map((warning) => warning.split(' ')[0])).toEqual([
      'SCIM_BASE_URL',
      'SCIM_BULK',
      'SCIM_ETAG',
    ])
    for (const host of ['127.0.0.1:3000', 'localhost', 'app.localhost', '[::1]:80']) {
      expect(readScimSettings({ ...ON, SCIM_BASE_URL: `http://${host}/scim` }).warnings).toEqual([])
    }
    expect(readScimSettings({ SCIM_BULK: '' }).warnings).toEqual([])
  })
})

test('SH-83 reads signed access tokens, and roles in the Okta format', () => {
  const jwt = {
    SCIM_ENABLED: 'true',
    SCIM_JWT_ISSUER: 'https://login.example',
    SCIM_JWT_AUDIENCE: 'app',
    SCIM_JWT_JWKS: 'https://login.example/keys',
  }
  expect(readScimSettings(jwt).jwt).toEqual({
    issuer: 'https://login.example',
    audience: 'app',
    jwks: 'https://login.example/keys',
    tenant: 'default',
  })
  expect(readScimSettings({}).jwt).toBeUndefined()
  expect(() => readScimSettings({ ...jwt, SCIM_JWT_AUDIENCE: '' })).toThrow('given together')
  expect(() => readScimSettings({ ...jwt, SCIM_JWT_JWKS: 'keys' })).toThrow('SCIM_JWT_JWKS')
  const { options } = readScimSettings({ SCIM_ROLES: '[{"id":"admin","displayName":"Admin"}]' })
  expect(options.resourceTypes?.map(({ name }) => name)).toEqual(['Role'])
  for (const text of ['{', '{}', '[1]', '[{"id":"x"}]']) {
    expect(() => readScimSettings({ SCIM_ENTITLEMENTS: text })).toThrow('SCIM_ENTITLEMENTS must be')
  }
})
