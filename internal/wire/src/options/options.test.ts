import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { optionCheck } from './check-options.ts'
import { nearName } from './near-name.ts'
import {
  anything,
  callback,
  choice,
  flag,
  implementing,
  integer,
  options,
  required,
  secret,
  tagged,
  text,
  webAddress,
} from './option-kinds.ts'

interface Options {
  readonly store: object
  readonly baseUrl?: string
  readonly secretKey?: string
  readonly deleteUser?: 'soft' | 'hard'
  readonly auth?: object
  readonly onError?: () => void
  readonly settings?: { readonly maxFlowsPerUser?: number; readonly basePath?: string }
  readonly on?: boolean
}

const read = optionCheck<Options>('page.md', {
  store: required(implementing('Store', 'users.get', 'close')),
  baseUrl: webAddress,
  secretKey: secret(32),
  deleteUser: choice('soft', 'hard'),
  auth: tagged('kind', { token: { token: required(text) }, host: { authenticate: callback } }),
  onError: callback,
  settings: options({ maxFlowsPerUser: integer(0), basePath: text }),
  on: flag,
})
const nothing = (): null => null
const store = { users: { get: nothing }, close: () => undefined }

describe('optionCheck', () => {
  test.each([
    ['HO-21 nothing', undefined, 'create: options are required (store)'],
    ['HO-21 null', null, 'create: options are required (store)'],
    ['HO-21 a list', [], 'create: options must be an object, got an array'],
    ['HO-21 a required option', {}, 'create: option "store" is required'],
    ['HO-23 null is a value', { store: null }, 'create: option "store" must be a Store, got null'],
    [
      'HO-21 an interface',
      { store: { users: { get: nothing } } },
      'create: option "store" must be a Store: it has no method close',
    ],
    [
      'HO-21 a choice',
      { store, deleteUser: "so'ft" },
      `create: option "deleteUser" must be 'soft' or 'hard', got 'so\\'ft'`,
    ],
    [
      'HO-21 a tag',
      { store, auth: { kind: 'bearr' } },
      `create: option "auth.kind" must be 'token' or 'host', got 'bearr'`,
    ],
    [
      'HO-21 below a tag',
      { store, auth: { kind: 'token' } },
      'create: option "auth.token" is required',
    ],
    [
      'HO-21 a range',
      { store, settings: { maxFlowsPerUser: 'many' } },
      `create: option "settings.maxFlowsPerUser" must be an integer of at least 0, got 'many'`,
    ],
    [
      'HO-21 a URL',
      { store, baseUrl: '/scim' },
      `create: option "baseUrl" must be an absolute http or https URL, got '/scim'`,
    ],
    [
      'HO-21 a function',
      { store, onError: 1 },
      'create: option "onError" must be a function, got 1',
    ],
    [
      'HO-21 a secret is not shown',
      { store, secretKey: 'short' },
      'create: option "secretKey" must have at least 32 characters, got 5 characters',
    ],
    [
      'HO-22 a misspelt name',
      { store, deletUser: 1 },
      'create: unknown option "deletUser". Did you mean "deleteUser"?',
    ],
    [
      'HO-22 another case',
      { store, DELETE_user: 1 },
      'create: unknown option "DELETE_user". Did you mean "deleteUser"?',
    ],
    [
      'HO-22 a wrong level',
      { store, maxFlowsPerUser: 1 },
      'create: unknown option "maxFlowsPerUser". Did you mean "settings.maxFlowsPerUser"?',
    ],
    [
      'HO-22 a misspelt name below',
      { store, settings: { basepath: 'a' } },
      'create: unknown option "settings.basepath". Did you mean "settings.basePath"?',
    ],
    [
      'HO-22 no known name',
      { store, colour: 1 },
      'create: unknown option "colour". Known options: auth, baseUrl, deleteUser, on, onError, secretKey, settings, store',
    ],
    [
      'HO-21 a long value',
      { store, deleteUser: 'x'.repeat(100) },
      `create: option "deleteUser" must be 'soft' or 'hard', got '${'x'.repeat(58)}…`,
    ],
  ])('%s', (_name, given, message) => {
    expect(() => read('create', given)).toThrow(
      expect.objectContaining({
        message,
        code: 'invalid_option',
        docs: expect.stringContaining('page.md'),
      }),
    )
    expect(() => read('create', given)).toThrow(TypeError)
  })

  test('HO-23 ignores undefined and symbols, takes another realm, and reads a getter once', () => {
    let reads = 0
    const given = {
      get store(): object {
        reads++
        return store
      },
      deleteUser: undefined,
      unknown: undefined,
      [Symbol('own')]: 1,
    }
    expect(read('create', given)).toEqual({ store })
    expect(reads).toBe(1)
    const foreign: unknown = runInNewContext('({ on: true, settings: {} })')
    expect(read('create', Object.assign(foreign as object, { store }))).toEqual({
      store,
      on: true,
      settings: {},
    })
  })

  test('HO-22 allows one slip in short names', () => {
    expect(nearName('tll', ['ttl'])).toBe('ttl')
    expect(nearName('abc', ['ttl'])).toBeUndefined()
    expect(nearName('jbos', ['jobs'])).toBe('jobs')
    expect(anything.read(1, { called: '', path: '', page: '', paths: [] })).toBe(1)
  })
})
