import { beforeAll, describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, list, problem, type Harness } from './support.ts'

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
  await scim.user('bare@x.example', { active: false })
  await scim.group('g', [full])
})

const FULL = ['full@x.example']
const BARE = ['bare@x.example']
const BOTH = [...FULL, ...BARE]

describe('SC-40 what a comparison means', () => {
  test.each<readonly [filter: string, found: readonly string[]]>([
    // Presence: neither null nor "", [] nor an object without present subs.
    ['title pr', FULL],
    ['nickName pr', []],
    ['name pr', []],
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
    'password pr',
    'password eq "x"',
  ])('400 invalidFilter: %s', async (filter) => {
    expect(await scim.names(filter)).toEqual([400, 'invalidFilter'])
  })
})

describe('SC-11 tooMany', () => {
  test('a sorted list over both types that reaches too far', async () => {
    const { status, body } = await scim.get('/?sortBy=id&startIndex=10001&count=1')
    expect([status, body]).toEqual([400, expect.objectContaining(problem(400, 'tooMany'))])
    expect(list((await scim.get('/?sortBy=id&count=10')).body['Resources'])).toHaveLength(3)
  })
})
