// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  postgresDatabase,
  postgresUrl,
  type TestDatabase,
} from '../../packages/store-kysely/test/databases.ts'
import { besideHealth, HEALTH } from './attack.ts'
import { useBuiltHost } from './built-host.ts'

let folder = ''
let database: TestDatabase | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scim-host-'))
  if (postgresUrl !== null) database = await postgresDatabase()
})
const host = useBuiltHost('scim-host.ts', ['scim-core', 'flow-engine', 'store-kysely'], () => [
  folder,
  database?.address ?? '',
])
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

const kinds = ['memory', 'sqlite', ...(postgresUrl === null ? [] : ['postgres'])]

test.each(kinds)(
  'AB-80: a hook that calls back into the service is refused immediately, and the next write works, on %s',
  async (kind) => {
    for (const call of ['service', 'store']) {
      const body = JSON.stringify({ kind, call })
      const { result, slowest } = await besideHealth(host(), () =>
        host().call<{ first: string; errors: string[]; next: string }>('reenter', body),
      )
      expect([result.first, result.next]).toEqual(['refused', 'made'])
      expect(result.errors.join()).toContain('was called inside a hook')
      expect(slowest).toBeLessThan(HEALTH)
    }
  },
)

test(
  "AB-87: with the host's connection pool, numbers are read as numbers and the host's type parsers stay unchanged",
  needs('postgres'),
  async () => {
    const { result, slowest } = await besideHealth(host(), () =>
      host().call<Record<'user' | 'list' | 'rows', unknown>>('pool'),
    )
    const { user, list, rows } = result
    expect(slowest).toBeLessThan(HEALTH)
    expect(user).toMatchObject({ userName: 'pool@corp.example', active: false })
    expect(list).toMatchObject({ totalResults: 1, itemsPerPage: 1 })
    expect(rows).toEqual([{ one: 'of the host' }])
  },
)
