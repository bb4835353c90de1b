import { createScimHandler, createScimService, isScimConfigError } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'

const store = createMemoryScimStore()
const auth = { kind: 'token', token: 'secret-of-the-test' }
const valid = { store, baseUrl: 'https://app.example/scim/v2', auth }
const without = (name: keyof typeof valid): object =>
  Object.fromEntries(Object.entries(valid).filter(([one]) => one !== name))

describe('HO-21 a wrong option of a SCIM handler', () => {
  test.each([
    [undefined, 'createScimHandler: options are required (store, baseUrl, auth)'],
    [without('auth'), 'createScimHandler: option "auth" is required'],
    [
      { ...valid, deletUser: 'remove' },
      'createScimHandler: unknown option "deletUser". Did you mean "deleteUser"?',
    ],
    [
      { ...valid, deleteUser: 'soft' },
      `createScimHandler: option "deleteUser" must be 'deactivate', 'tombstone' or 'remove', got 'soft'`,
    ],
    [
      { ...valid, auth: { kind: 'bearr' } },
      `createScimHandler: option "auth.kind" must be 'token', 'tokens', 'bearer' or 'host', got 'bearr'`,
    ],
    [
      { ...valid, auth: [auth, { kind: 'host' }] },
      'createScimHandler: option "auth.1.authenticate" is required',
    ],
    [
      { ...valid, baseUrl: '/scim' },
      `createScimHandler: option "baseUrl" must be an absolute http or https URL, got '/scim'`,
    ],
    [
      { ...valid, baseUrl: () => 'https://app.example/scim' },
      'createScimHandler: option "basePath" is required when baseUrl is a function',
    ],
    [
      { ...valid, store: { ...store, users: {} } },
      'createScimHandler: option "store" must be a ScimStore: it has no method users.get',
    ],
    [
      { ...valid, bodyBytes: 10 },
      'createScimHandler: unknown option "bodyBytes". Did you mean "limits.bodyBytes"?',
    ],
    [
      { ...valid, quirks: { opcase: true } },
      'createScimHandler: unknown option "quirks.opcase". Did you mean "quirks.opCase"?',
    ],
    [
      { ...valid, cursor: { tll: 60 } },
      'createScimHandler: unknown option "cursor.tll". Did you mean "cursor.ttl"?',
    ],
    [
      { ...valid, rateLimit: { perSecond: 24 } },
      'createScimHandler: option "rateLimit.perSecond" must be a number of at least 25, got 24',
    ],
    [
      { ...valid, beforeWrite: () => undefined, beforeCommit: () => undefined },
      'createScimHandler: options "beforeWrite" and "beforeCommit" exclude each other',
    ],
    [{ ...valid, onError: 1 }, 'createScimHandler: option "onError" must be a function, got 1'],
  ])('%#: %s', (given, message) => {
    const create = (): unknown => createScimHandler(given as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(expect.objectContaining({ message, code: 'invalid_option' }))
    expect(create).toThrow(expect.toSatisfy(isScimConfigError))
  })

  test('names the function that was called', () => {
    expect(() => createScimService({ ...valid, colour: 1 } as never)).toThrow(
      'createScimService: unknown option "colour". Known options: allowedAddresses, audit, ',
    )
  })
})
