import {
  InvalidFilterError,
  parseFilter,
  recordResource,
  resolveFilter,
  sortKey,
  type AttributePath,
  type ListQuery,
  type ResolvedFilter,
  type ScimStore,
  type SortKey,
  type UserRecord,
} from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestDatabase } from './databases.ts'
import {
  BASE,
  DESK_URN,
  fill,
  group,
  groupSchema,
  TENANT,
  user,
  userSchema,
} from './scim-corpus.ts'

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']
const TEXTS = [
  '',
  'ada',
  'Ada Lovelace',
  'köln',
  'R&D',
  'o\'"\\%',
  '%',
  '_',
  'corp.example',
  'work',
  'hr-1',
  'HR-1',
  'ǆ ﬁNE 𝒜',
  'ﬀ@',
  '\u{10ffff}',
  'S1',
]

const USER_TEXTS = [
  'userName',
  'displayName',
  'externalId',
  'id',
  'title',
  'nickName',
  'name.familyName',
  'name.givenName',
  'name.formatted',
  'name.honorificPrefix',
  'emails',
  'emails.value',
  'emails.type',
  'emails.display',
  'phoneNumbers.display',
  'roles',
  'addresses.locality',
  'addresses.type',
  'photos.value',
  'groups',
  'groups.display',
  'groups.type',
  'groups.$ref',
  'meta.version',
  'meta.location',
  'department',
  'manager.value',
  'manager.displayName',
  'manager.$ref',
  `${DESK_URN}:badge`,
  `${DESK_URN}:tags`,
  `${DESK_URN}:screens.value`,
  `${DESK_URN}:screens.serial`,
]

const WHOLE_USERS = [
  'active eq true',
  'active eq false',
  'active ne true',
  'not (active eq true)',
  'active pr',
  'emails[type eq "work" and value co "@corp"]',
  'emails[type eq "work"] and emails[value co "home"]',
  'emails[type eq "work" and value co "home"]',
  'emails[not (type eq "work")]',
  'emails[primary eq true]',
  'emails[primary ne true]',
  'not (emails[primary eq true])',
  'emails[type eq "work"].value eq "bob@corp.example"',
  'emails[type ne "home" or value pr]',
  'emails[display pr]',
  'addresses[type eq "work" and locality eq "KÖLN"]',
  'addresses[not (locality eq "köln")]',
  'addresses[country pr]',
  'addresses[primary eq true]',
  'not (userName sw "user") or (title pr and not (displayName pr))',
  'userName eq "user1@corp.example" or emails.value eq "bob@corp.example"',
  'userName sw "user" and (emails pr or roles pr) and not (externalId eq "HR-1")',
  'meta.created gt "2031-01-01T00:00:01.007Z"',
  'meta.created le "2031-01-01T01:00:01.007+01:00"',
  'meta.lastModified ge "2031-01-01T00:01:33Z"',
  'meta.created eq "2031-01-01T00:00:01.0071Z"',
  `${DESK_URN}:floor eq 3`,
  `${DESK_URN}:floor gt -2`,
  `${DESK_URN}:floor ne 3`,
  `${DESK_URN}:height eq 71.5`,
  `${DESK_URN}:height lt 71.6`,
  `${DESK_URN}:since eq "2030-06-01T10:00:00Z"`,
  `${DESK_URN}:since gt "2030-06-01T10:00:00.1Z"`,
  `${DESK_URN}:since ne "2030-06-01T10:00:00Z"`,
  `${DESK_URN}:since pr`,
  `${DESK_URN}:standing eq false`,
  `${DESK_URN}:standing pr`,
  `${DESK_URN}:key eq "QUJD"`,
  `${DESK_URN}:key eq "qujd"`,
  `${DESK_URN}:visits gt "2031-12-31T00:00:00Z"`,
  `${DESK_URN}:tags pr`,
  `${DESK_URN}:screens[inches ge 30 and serial eq "s1"]`,
  `${DESK_URN}:screens[bought lt "2030-01-01T00:00:00Z"]`,
  `${DESK_URN}:screens[not (value pr)]`,
  `${DESK_URN}:screens.inches eq 32`,
  `${DESK_URN}:screens pr`,
  'name pr',
  'emails pr',
  'roles pr',
  'addresses pr',
  'groups pr',
  'manager pr',
  'title pr',
  'displayName pr',
  `schemas eq "${DESK_URN}"`,
  'emails eq null',
  'emails.type ne null',
  'id pr',
  'meta.version pr',
  'meta.version eq "W/\\"1\\""',
  'meta.version eq "w/\\"1\\""',
  `groups.value eq "${group(1, '').id}"`,
  `groups[value eq "${group(3, '').id}" and display sw "every"]`,
  `not (groups.value eq "${group(3, '').id}")`,
  `groups.value ne "${group(3, '').id}"`,
  `id eq "${user(3, {}).id}"`,
  `id sw "00000000-0000-4000-8000-00000000000"`,
  `manager.$ref eq "${BASE}/Users/${user(2, {}).id}"`,
  `groups.$ref eq "${BASE}/Groups/${group(1, '').id}"`,
  `meta.location eq "${BASE}/Users/${user(3, {}).id}"`,
  'userName eq "a\\u0000b"',
  'userName ne "a\\u0000b"',
]

const WHOLE_GROUPS = [
  'displayName eq "ENGINEERS"',
  'displayName sw "eng"',
  'displayName co "köln"',
  'displayName ne "everyone"',
  'externalId eq "G2"',
  'externalId pr',
  'members pr',
  'not (members pr)',
  `members.value eq "${user(1, {}).id}"`,
  `members[value eq "${user(1, {}).id}" and type eq "user"]`,
  'members.type eq "Group"',
  'members.display co "ada"',
  'members.display pr',
  `members.value ne "${user(1, {}).id}"`,
  `not (members.value eq "${user(1, {}).id}")`,
  `members.$ref eq "${BASE}/Users/${user(1, {}).id}"`,
  `members.$ref eq "${BASE}/Groups/${group(1, '').id}"`,
  `members.$ref eq "${BASE}/Users/${group(1, '').id}"`,
  'members[not (display pr)]',
  'meta.created gt "2031-01-01T00:00:01.007Z" and displayName sw "e"',
  'displayName ew "n" or members.display sw "bob"',
]

const SORTS = [
  'userName',
  'displayName',
  'title',
  'name.familyName',
  'emails.value',
  'emails.type',
  'addresses.locality',
  'roles.value',
  'externalId',
  'active',
  'meta.created',
  'meta.lastModified',
  'id',
  'department',
  `${DESK_URN}:floor`,
  `${DESK_URN}:since`,
  `${DESK_URN}:height`,
  `${DESK_URN}:standing`,
  `${DESK_URN}:tags`,
  `${DESK_URN}:screens.inches`,
  'meta.location',
  'phoneNumbers.display',
]

/** `defineFilters` proves that a database gives what the core's own evaluation gives (SC-44, SC-83). */
export function defineFilters(name: string, open: () => Promise<TestDatabase>): void {
  describe(`filters: ${name}`, () => {
    const memory = createMemoryScimStore()
    let database: TestDatabase
    let store: ScimStore

    beforeAll(async () => {
      database = await open()
      await migrateScim(database.db)
      store = createScimStore(database.db)
      await fill(memory)
      await fill(store)
    })
    afterAll(() => database.close())

    test('SC-44 every operator on every text attribute of a user', async () => {
      // Each pair of path and operator meets a third of the literals, in turn.
      const filters = USER_TEXTS.flatMap((path, p) =>
        OPERATORS.flatMap((operator, o) =>
          TEXTS.filter((_, t) => (p + o + t) % 3 === 0).map(
            (text) => `${path} ${operator} ${JSON.stringify(text)}`,
          ),
        ).concat(`${path} pr`),
      )
      expect(await answers(store, 'users', filters)).toEqual(
        await answers(memory, 'users', filters),
      )
    }, 30_000)

    test('SC-44 filters of users and their complement', async () => {
      const filters = WHOLE_USERS.flatMap((filter) => [filter, `not (${filter})`])
      expect(await answers(store, 'users', filters)).toEqual(
        await answers(memory, 'users', filters),
      )
    })

    test('SC-44 filters of groups and their complement', async () => {
      const filters = WHOLE_GROUPS.flatMap((filter) => [filter, `not (${filter})`])
      expect(await answers(store, 'groups', filters)).toEqual(
        await answers(memory, 'groups', filters),
      )
    })

    test('SC-44 filters that nest as deep as the core reads them', async () => {
      const filters = [1, 2, 5, 10, 17, 30].flatMap((depth) => [
        `${'not ('.repeat(depth)}userName pr${')'.repeat(depth)}`,
        nested(depth, 'userName sw "a"', ['title pr or not (', 'active eq true and not (']),
        nested(depth, 'displayName pr', ['title pr and not (', 'not (active eq true) or not (']),
        nested(Math.min(depth, 17), 'title pr', ['active pr or (', 'displayName pr and (']),
        `emails[${nested(Math.min(depth, 16), 'value pr', ['type pr or not (', 'display pr or not ('])}]`,
        `emails[${nested(depth, 'value co "corp"', ['type eq "work" or not (', 'primary pr and not ('])}]`,
      ])
      expect(await answers(store, 'users', filters)).toEqual(
        await answers(memory, 'users', filters),
      )
    })

    test('SC-44 a filter that the database cannot read is refused as a filter', async () => {
      const filter = nested(25, 'userName pr', ['title pr or (', 'active eq true and ('])
      await expect(answers(store, 'users', [filter])).rejects.toThrow(InvalidFilterError)
    })

    test('SC-32 every sort, ascending and descending, in pages and from any place on', async () => {
      for (const path of SORTS) {
        for (const descending of [false, true]) {
          const sort = { path: pathOf(path), descending }
          expect(await pages(store, sort)).toEqual(await pages(memory, sort))
        }
      }
    })
  })
}

/** A filter in a filter in a filter; what stands around each, in turn. */
function nested(depth: number, inner: string, around: readonly [string, string]): string {
  let filter = inner
  for (let level = 0; level < depth; level += 1) filter = `${around[level % 2] ?? ''}${filter})`
  return filter
}

type Kind = 'users' | 'groups'
type Sort = NonNullable<ListQuery['sort']>

/** A store's answers to each filter, one line each. */
async function answers(
  store: ScimStore,
  kind: Kind,
  filters: readonly string[],
): Promise<string[]> {
  const lines: string[] = []
  for (const text of filters) {
    const filter = resolved(text, kind)
    const query = { limit: 50, withTotal: true, ...(filter === null ? {} : { filter }) }
    lines.push(`${text}: ${shown(await store[kind].list(TENANT, query))}`)
  }
  return lines
}

/** A sorted list in pages of three, and what comes behind each of its records. */
async function pages(store: ScimStore, sort: Sort): Promise<string[]> {
  const direction = sort.descending ? 'descending' : 'ascending'
  const whole = await store.users.list(TENANT, { sort, limit: 50, withTotal: true })
  const lines = [`${sort.path.key} ${direction}: ${shown(whole)}`]
  for (let offset = 0; offset < whole.total; offset += 3) {
    const page = await store.users.list(TENANT, { sort, limit: 3, offset, withTotal: true })
    lines.push(`${sort.path.key} ${direction} from ${offset}: ${shown(page)}`)
  }
  for (const record of whole.records) {
    const after = { created: record.created, id: record.id, key: keyOf(record, sort.path) }
    const { records } = await store.users.list(TENANT, { sort, after, limit: 50, withTotal: false })
    lines.push(`${sort.path.key} ${direction} after ${record.id}: ${shown({ total: 0, records })}`)
  }
  return lines
}

function resolved(text: string, kind: 'users' | 'groups'): ResolvedFilter | null {
  const schema = kind === 'users' ? userSchema : groupSchema
  const filter = resolveFilter(parseFilter(text), schema, { baseUrl: BASE })
  return typeof filter === 'boolean' ? null : filter
}

/** The path a sort stands on, found through a filter. */
function pathOf(name: string): AttributePath {
  const filter = resolved(`${name} ${name === 'active' ? 'eq true' : 'pr'}`, 'users')
  if (filter === null) throw new TypeError(`${name} has no path`)
  if (filter.kind === 'element' && filter.where.kind === 'present') return filter.where.path
  if (filter.kind === 'present' || filter.kind === 'compare') return filter.path
  throw new TypeError(`${name} is not a plain path`)
}

/** The position of a record for a reader of pages, without data of other tables. */
function keyOf(record: UserRecord, path: AttributePath): SortKey {
  return sortKey(recordResource(record), path)
}

function shown({ total, records }: { total: number; records: readonly { id: string }[] }): string {
  return `${total} [${records.map(({ id }) => id).join(', ')}]`
}
