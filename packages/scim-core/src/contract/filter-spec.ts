import assert from 'node:assert/strict'
import type { ScimStore } from '../store/scim-store.ts'
import {
  BASE_URL,
  groupFilter,
  groupRecord,
  moment,
  TENANT,
  userFilter,
  userRecord,
  type StoreSpec,
} from './fixture.ts'

const E = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const B = 'urn:example:badge'
const id = (n: number): string => userRecord(n).id

/** User filters and the numbers of the matching users; rules of section 8. */
const USER_FILTERS: readonly (readonly [filter: string, matches: readonly number[]])[] = [
  // Strings are compared folded; externalId and id exactly.
  ['userName eq "MIRA.K@corp.example"', [1]],
  ['userName eq "mira"', []],
  ['userName ne "mira.k@CORP.example"', [2, 3, 4, 5]],
  ['userName sw "mi"', [1]],
  ['userName co "@CORP."', [1, 2, 3, 5]],
  ['userName ew "example"', [1, 2, 3, 5]],
  ['userName gt "mira.k@corp.example"', [3, 4, 5]],
  ['userName ge "mira.k@corp.example"', [1, 3, 4, 5]],
  ['userName lt "mira.k@corp.example"', [2]],
  ['userName le "mira.k@corp.example"', [1, 2]],
  ['externalId eq "HR-9"', [1]],
  ['externalId eq "hr-9"', []],
  ['externalId pr', [1, 3]],
  ['externalId sw "HR"', [1]],
  [`id eq "${id(2)}"`, [2]],
  ['id eq "nobody"', []],
  ['title eq "ÉTÉ"', [2]],
  ['title eq "e\\u0301te\\u0301"', [2]],
  ['title eq "100%"', [3]],
  ['title co "0%"', [3]],
  ['title co "_"', [4]],
  ['title sw "a\\\\b"', [4]],
  ['title co "\'"', [5]],
  ['title eq "\' or 1=1 --"', []],
  // Boolean and presence.
  ['active eq true', [1, 3]],
  ['active eq "False"', [2, 4]],
  ['active ne true', [2, 4, 5]],
  ['active pr', [1, 2, 3, 4]],
  ['title pr', [2, 3, 4, 5]],
  ['nickName pr', []],
  ['nickName eq ""', [2]],
  ['title eq null', [1]],
  ['title ne null', [2, 3, 4, 5]],
  ['title ne "x"', [1, 2, 3, 4, 5]],
  ['not (title sw "1")', [1, 2, 4, 5]],
  ['not (title pr)', [1]],
  ['name pr', [1]],
  ['name.familyName eq "KOVAC"', [1]],
  ['name.familyName ne "kovac"', [2, 3, 4, 5]],
  ['name[familyName eq "kovac" and givenName sw "m"]', [1]],
  ['name[not (middleName pr)]', [1]],
  // Lists: any element, or one element for all conditions.
  ['emails eq "mk@HOME.example"', [1]],
  ['emails.value eq "mk@home.example"', [1]],
  ['emails.type eq "home" and emails.value sw "mira"', [1]],
  ['emails[type eq "home" and value sw "mira"]', []],
  ['emails[type eq "home"].value eq "MK@HOME.example"', [1]],
  ['emails[type eq "work"].value ne "mira.k@corp.example"', [2, 3, 4, 5]],
  ['emails ne "mira.k@corp.example"', [1, 2, 3, 4, 5]],
  ['emails.value ne "ada@corp.example"', [1, 3, 4, 5]],
  ['emails pr', [1, 2]],
  ['emails.type pr', [1]],
  ['not (emails pr)', [3, 4, 5]],
  ['emails[primary eq true].value co "mira"', [1]],
  ['emails[not (type pr)]', [2]],
  ['emails[type eq "home" or primary eq true]', [1]],
  ['not (emails[type eq "home"])', [2, 3, 4, 5]],
  ['emails[value ne "ada@corp.example"]', [1]],
  // Extensions.
  [`${E}:department eq "r&d"`, [1]],
  ['department sw "R"', [1]],
  [`${E}:manager.value eq "${id(2)}"`, [1]],
  [`manager eq "${id(2)}"`, [1]],
  [`manager.displayName eq "ada"`, [1]],
  [`manager.$ref eq "${BASE_URL}/Users/${id(2)}"`, [1]],
  ['manager.displayName pr', [1]],
  [`${E} pr`, [1, 3]],
  ['level eq 3', [2]],
  ['level gt 2.5', [2]],
  ['level le 0', [3]],
  ['level ne 3', [1, 3, 4, 5]],
  ['weight eq 1.50', [2]],
  ['weight lt 2', [2]],
  [`${B}:issued eq "2031-01-01T01:00:00+01:00"`, [2]],
  ['issued gt "2030-12-31T23:59:59.999Z"', [2]],
  ['issued lt "2031-01-01T00:00:00Z"', [3]],
  ['tags eq "red"', [2]],
  ['tags sw "B"', [2]],
  ['tags eq "red" and tags eq "blue"', [2]],
  ['tags[value eq "red" and value eq "blue"]', []],
  ['tags ne "red"', [1, 2, 3, 4, 5]],
  ['code eq "AbC"', [2]],
  ['code eq "abc"', []],
  // Times and addresses.
  [`meta.created eq "${moment(2).toISOString()}"`, [2]],
  [`meta.created gt "${moment(3).toISOString()}"`, [4, 5]],
  [`meta.lastModified ge "${moment(1_000).toISOString()}"`, [5]],
  [`meta.location eq "${BASE_URL}/Users/${id(3)}"`, [3]],
  [`meta.location ew "${id(3).slice(-12)}"`, [3]],
  ['meta.version eq "W/\\"2\\""', [5]],
  // Membership.
  [`groups.value eq "${groupRecord(1).id}"`, [1, 2]],
  [`groups eq "${groupRecord(2).id}"`, [2]],
  ['groups.display eq "CORE"', [1, 2]],
  ['groups pr', [1, 2]],
  ['not (groups pr)', [3, 4, 5]],
  ['groups[display sw "co" and type eq "direct"]', [1, 2]],
  [`groups.$ref eq "${BASE_URL}/Groups/${groupRecord(2).id}"`, [2]],
  // Precedence and combinations.
  ['title sw "X" or externalId eq "HR-9" and active eq false', []],
  ['(title sw "X" or externalId eq "HR-9") and active eq true', [1]],
  ['not (active eq true) and userName co "a"', [2, 5]],
  ['not (active eq true and emails pr)', [2, 3, 4, 5]],
  ['emails pr or groups pr or level pr', [1, 2, 3]],
  ['emails pr and groups pr and level pr', [2]],
]

const GROUP_FILTERS: readonly (readonly [filter: string, matches: readonly number[]])[] = [
  ['displayName eq "core"', [1]],
  ['displayName ne "core"', [2, 3]],
  ['displayName sw "CO"', [1]],
  ['externalId eq "G"', [3]],
  [`members.value eq "${id(1)}"`, [1]],
  [`members eq "${id(2)}"`, [1, 2]],
  [`members[value eq "${id(2)}"]`, [1, 2]],
  [`members[value eq "${id(1)}" or value eq "${id(3)}"]`, [1]],
  [`not (members.value eq "${id(1)}")`, [2, 3]],
  ['members pr', [1, 2]],
  ['members.display eq "Ada"', [1, 2]],
  ['members[type eq "User" and display sw "mira"]', [1]],
  [`members.$ref eq "${BASE_URL}/Users/${id(1)}"`, [1]],
  [`displayName eq "core" and members.value eq "${id(2)}"`, [1]],
]

export const filterSpec: StoreSpec = ({ describe, it }, store) => {
  describe('filters of users', () => {
    for (const [filter, expected] of USER_FILTERS) {
      it(`SC-44 ${filter}`, async () => {
        await fill(store())
        const { total, records } = await store().users.list(TENANT, {
          filter: userFilter(filter),
          limit: 100,
          withTotal: true,
        })
        assert.deepEqual(records.map(numberOf), expected)
        assert.equal(total, expected.length)
      })
    }

    it('SC-84 limit, offset and total apply to the filtered list', async () => {
      await fill(store())
      const filter = userFilter('userName pr and not (title eq "no such")')
      const { total, records } = await store().users.list(TENANT, {
        filter,
        offset: 1,
        limit: 2,
        withTotal: true,
      })
      assert.equal(total, 5)
      assert.deepEqual(records.map(numberOf), [2, 3])
    })
  })

  describe('filters of groups', () => {
    for (const [filter, expected] of GROUP_FILTERS) {
      it(`SC-44 ${filter}`, async () => {
        await fill(store())
        const { total, records } = await store().groups.list(TENANT, {
          filter: groupFilter(filter),
          limit: 100,
          withTotal: true,
        })
        assert.deepEqual(records.map(numberOf), expected)
        assert.equal(total, expected.length)
      })
    }
  })
}

async function fill(store: ScimStore): Promise<void> {
  await store.transaction(TENANT, async ({ users, groups, members }) => {
    await users.insert(
      TENANT,
      userRecord(1, {
        userName: 'Mira.K@corp.example',
        externalId: 'HR-9',
        data: JSON.stringify({
          name: { givenName: 'Mira', familyName: 'Kovac' },
          emails: [
            { value: 'mira.k@corp.example', type: 'work', primary: true },
            { value: 'mk@home.example', type: 'home' },
          ],
          [E]: { department: 'R&D', manager: { value: id(2) } },
        }),
      }),
    )
    await users.insert(
      TENANT,
      userRecord(2, {
        userName: 'ada@corp.example',
        active: false,
        data: JSON.stringify({
          displayName: 'Ada',
          title: 'Été',
          nickName: '',
          emails: [{ value: 'ada@corp.example' }],
          [B]: {
            level: 3,
            weight: 1.5,
            issued: '2031-01-01T00:00:00Z',
            tags: ['Red', 'blue'],
            code: 'AbC',
          },
        }),
      }),
    )
    await users.insert(
      TENANT,
      userRecord(3, {
        userName: 'noor@corp.example',
        externalId: 'x',
        data: JSON.stringify({
          title: '100%',
          [E]: { manager: { value: 'nobody' } },
          [B]: { level: 0, issued: '2030-06-01T00:00:00.5+02:00' },
        }),
      }),
    )
    await users.insert(
      TENANT,
      userRecord(4, { userName: 'ω-user', active: false, data: '{"title":"a\\\\b_c"}' }),
    )
    await users.insert(
      TENANT,
      userRecord(5, {
        userName: 'zoe@corp.example',
        active: null,
        data: '{"title":"O\'Neil"}',
        lastModified: moment(1_000),
        version: 2,
      }),
    )
    await groups.insert(TENANT, groupRecord(1, { displayName: 'Core' }))
    await groups.insert(TENANT, groupRecord(2, { displayName: 'Ops' }))
    await groups.insert(TENANT, groupRecord(3, { displayName: 'Empty', externalId: 'G' }))
    await members.add(TENANT, groupRecord(1).id, [id(1), id(2)], moment(1))
    await members.add(TENANT, groupRecord(2).id, [id(2)], moment(2))
  })
}

function numberOf(record: { readonly id: string }): number {
  return Number(record.id.slice(-12))
}
