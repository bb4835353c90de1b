import { needs } from '@x/test-kit/needs'
import type { PoolConfig } from 'pg'
import { describe } from 'vitest'
import { defineContracts } from './contract.ts'
import { hostPoolDatabase, postgresDatabase } from './databases.ts'

/** A host that reads big numbers as bigint and everything else as it came. */
const getTypeParser = (oid: number) => (text: string) => (oid === 20 ? BigInt(text) : text)

describe('on a real server', needs('postgres'), () => {
  defineContracts('PostgreSQL', postgresDatabase)
  describe('over a pool of the host', { tags: ['long'] }, () => {
    defineContracts('SH-60 a pool of the host', () => hostPoolDatabase({}), 'scim')
    const custom = { types: { getTypeParser } } as PoolConfig
    defineContracts('SH-60 a pool with parsers', () => hostPoolDatabase(custom), 'scim')
  })
})
