import { beforeAll, describe, expect, test } from 'vitest'
import { createTestRuntime } from '@x/scim-core/testing'
import { BASE, createScim, ENTERPRISE as E, list, problem, type Harness } from './support.ts'

let scim: Harness
let full: string

beforeAll(async () => {
  scim = createScim()
  full = await scim.user('full@x.example', {
    externalId: 'Ext-1',
    title: 'Straße 10%_\\',
    nickName: '',
    emails: [
      { value: 'One@x.example', type: 'work', primary: true },
      { value: 'two@x.example', type: 'home' },
    ],
    x509Certificates: [{ value: 'QUJD' }],
    [E]: { department: 'Sales' },
  })
  await scim.user('bare@x.example', {
    active: false,
    name: { formatted: '' },
    ims: [{ value: '' }],
  })
  await scim.group('g', [full])
})

/** Ids with letters of both cases. */
const ids = (): (() => string) => {
  let count = 0
  return () => {
    count += 1
    return `Id-aB-${count}`
  }
}

const FULL = ['full@x.example']
const BARE = ['bare@x.example']
const BOTH = [...FULL, ...BARE]

describe('SC-40 comparison semantics', () => {
  test.each<readonly [filter: string, found: readonly string[]]>([
    // A bound itself belongs to ge and le, and not to gt and lt.
    ['userName ge "full@x.example"', FULL],
    ['userName gt "full@x.example"', []],
    ['userName le "bare@x.example"', BARE],
    ['userName lt "bare@x.example"', []],
    // Presence: neither null nor "", [] nor an object without present subs.
    ['title pr', FULL],
    ['nickName pr', []],
    ['name pr', []],
    ['ims pr', []],
    ['ims[value eq ""]', []],
    ['emails pr', FULL],
    ['emails[type eq "home"] pr', FULL],
    ['emails[type eq "home"] eq "two@x.example"', FULL],
    ['emails[type eq "work"] eq "two@x.example"', []],
    ['emails[type eq "home"] and title pr', FULL],
    ['not (title pr)', BARE],
    ['title eq null', BARE],
    ['title ne null', FULL],
    // A missing attribute fails everything but ne.
    ['title eq ""', []],
    ['title co ""', FULL],
    ['title ge ""', FULL],
    ['title ne "x"', BOTH],
    ['not (title eq "x")', BOTH],
    // ne on a list: some element differs.
    ['emails.value ne "one@x.example"', BOTH],
    ['emails[value ne "one@x.example"]', FULL],
    ['not (emails.value eq "one@x.example")', BARE],
    // Strings folded, exact where the schema says so.
    ['title eq "STRASSE 10%_\\\\"', []],
    ['title eq "straße 10%_\\\\"', FULL],
    ['title co "%_"', FULL],
    ['title co "%%"', []],
    ['externalId eq "ext-1"', []],
    ['externalId eq "Ext-1"', FULL],
    ['userName eq "FULL@X.EXAMPLE"', FULL],
    ['userName gt "c"', FULL],
    ['x509Certificates.value eq "QUJD"', FULL],
    ['x509Certificates.value eq "qujd"', []],
    // Booleans in any case, also as strings.
    ['active eq FALSE', BARE],
    ['active eq "True"', FULL],
    ['active ne true', BARE],
    // Instants, whatever their offset and fraction.
    ['meta.created eq "2030-01-01T01:00:00.0+01:00"', BOTH],
    ['meta.created lt "2030-01-01T00:00:00.001Z"', BOTH],
    ['meta.created gt "2030-01-01T00:00:00Z"', []],
    // A complex attribute stands for its value.
    ['emails eq "two@x.example"', FULL],
    ['groups.display eq "G"', FULL],
    [`${E}:department sw "sal"`, FULL],
  ])('%s', async (filter, found) => {
    expect(await scim.names(filter)).toEqual(found)
  })

  test.each([
    'active co "t"',
    'active gt true',
    'meta.created co "2030"',
    'meta.created eq "yesterday"',
    'x509Certificates.value sw "Q"',
    'x509Certificates.value gt "Q"',
    'name eq "x"',
    'title eq 5',
    'active eq "yes"',
    'title gt null',
    'name[givenName gt null]',
    'groups.value eq 5',
    'meta.created eq 5',
    'meta.created sw "2030-01-01T00:00:00Z"',
    'meta.created ew "Z"',
    'active sw "t"',
    'active le false',
    'active eq 1',
    'x509Certificates co "Q"',
    'addresses eq "x"',
  ])('400 invalidFilter: %s', async (filter) => {
    expect(await scim.names(filter)).toEqual([400, 'invalidFilter'])
  })
})

describe('SC-38 filter syntax', () => {
  test.each([
    '',
    ' ',
    'not title pr',
    'not',
    'title pr and',
    'title pr or or title pr',
    'title pr title pr',
    '(title pr',
    'title pr)',
    'emails[type eq "work"',
    'emails[type[x eq "y"] eq "work"]',
    'emails[emails[type eq "work"]]',
    'emails.type[value eq "x"]',
    'title eq "a\nb"',
    'title eq "a\\x"',
    "title eq 'a'",
    'title eq "a"b',
  ])('400 invalidFilter: %j', async (filter) => {
    expect(await scim.names(filter)).toEqual([400, 'invalidFilter'])
  })

  test.each<readonly [filter: string, found: readonly string[]]>([
    ['NOT (TITLE PR) OR title Eq "x"', BARE],
    ['not(title pr)', BARE],
    ['  title   pr  ', FULL],
    ['userName eq "\uff46ull@x.example"', FULL],
    ['userName eq "\u{1d525}"', []],
    [Array.from({ length: 40 }, () => '(title pr)').join(' and '), FULL],
    ['title pr or title pr and active eq false', FULL],
    ['(title pr or userName pr) and active eq false', BARE],
    ['not (title pr) or title pr and active eq true', BOTH],
  ])('%s', async (filter, found) => {
    expect((await scim.names(filter)) as string[]).toEqual(found)
  })
})

describe('SC-41 errors name the cause', () => {
  test.each([
    ['title like "x"', '"like"'],
    ['shoeSize eq "4"', 'shoeSize'],
    ['name.shoe pr', 'name.shoe'],
    ['emails[shoe eq "x"]', 'shoe'],
    ['active ge false', 'active'],
  ])('%s: %s', async (filter, name) => {
    const { body } = await scim.get(`/Users?filter=${encodeURIComponent(filter)}`)
    expect(body).toMatchObject(problem(400, 'invalidFilter'))
    expect(body['detail']).toContain(name)
  })

  test.each(['password pr', 'password eq "x"', 'not (password pr)', 'title pr or password pr'])(
    'the password is no attribute to filter by: %s',
    async (filter) => {
      expect(await scim.names(filter)).toEqual([400, 'invalidFilter'])
      expect((await scim.get(`/?filter=${encodeURIComponent(filter)}`)).status).toBe(400)
    },
  )
})

describe('SC-42 case-exact attributes', () => {
  test('ids, references, photos and externalId are case-exact, others are not', async () => {
    const exact = createScim({ runtime: { ...createTestRuntime(), uuid: ids() } })
    const boss = await exact.user('boss@x.example')
    const id = await exact.user('a@x.example', {
      externalId: 'Ext',
      photos: [{ value: 'https://x.example/P', type: 'Photo' }],
      [E]: { manager: { value: boss } },
    })
    const group = await exact.group('Team', [id])
    const total = async (path: string, filter: string): Promise<unknown> =>
      (await exact.get(`${path}?filter=${encodeURIComponent(filter)}`)).body['totalResults']
    for (const [path, attribute, value] of [
      ['/Users', 'id', id],
      ['/Users', 'externalId', 'Ext'],
      ['/Users', 'photos.value', 'https://x.example/P'],
      ['/Users', 'groups.value', group],
      ['/Users', 'groups.$ref', `${BASE}/Groups/${group}`],
      ['/Users', `${E}:manager.value`, boss],
      ['/Users', 'manager.$ref', `${BASE}/Users/${boss}`],
      ['/Groups', 'members.value', id],
      ['/Groups', 'members.$ref', `${BASE}/Users/${id}`],
    ] as const) {
      expect([attribute, await total(path, `${attribute} eq "${value}"`)]).toEqual([attribute, 1])
      for (const other of [value.toUpperCase(), value.toLowerCase()])
        expect([attribute, await total(path, `${attribute} eq "${other}"`)]).toEqual([attribute, 0])
    }
    for (const [path, filter] of [
      ['/Users', 'photos.type eq "PHOTO"'],
      ['/Users', 'groups.display eq "TEAM"'],
      ['/Groups', 'displayName eq "TEAM"'],
    ] as const)
      expect(await total(path, filter)).toBe(1)
  })
})

describe('SC-11 tooMany', () => {
  test('a sorted list over both types beyond the limit is refused', async () => {
    const { status, body } = await scim.get('/?sortBy=id&startIndex=10001&count=1')
    expect([status, body]).toEqual([400, expect.objectContaining(problem(400, 'tooMany'))])
    expect(list((await scim.get('/?sortBy=id&count=10')).body['Resources'])).toHaveLength(3)
  })
})
