import {
  createSchemas,
  ENTERPRISE_URN,
  fold,
  type GroupRecord,
  type ScimExtension,
  type ScimStore,
  type UserRecord,
} from '@x/scim-core'

export const TENANT = 'acme'
export const BASE = 'https://host.example/api/v1/scim/v2'
export const DESK_URN = 'urn:example:desk:2.0:User'

/** An extension with an attribute of every type. */
const desk: ScimExtension = {
  urn: DESK_URN,
  name: 'Desk',
  description: 'Where somebody sits.',
  resourceType: 'User',
  required: false,
  attributes: [
    { name: 'floor', type: 'integer' },
    { name: 'height', type: 'decimal' },
    { name: 'since', type: 'dateTime' },
    { name: 'standing', type: 'boolean' },
    { name: 'badge', caseExact: true },
    { name: 'key', type: 'binary' },
    { name: 'tags', multiValued: true },
    { name: 'visits', type: 'dateTime', multiValued: true },
    {
      name: 'screens',
      type: 'complex',
      multiValued: true,
      subAttributes: [
        { name: 'value' },
        { name: 'serial', caseExact: true },
        { name: 'inches', type: 'integer' },
        { name: 'bought', type: 'dateTime' },
        { name: 'primary', type: 'boolean' },
      ],
    },
  ],
}

const schemas = createSchemas({ extensions: [desk], nestedGroups: true })
export const userSchema = schemas.User
export const groupSchema = schemas.Group

const at = (n: number): Date => new Date(Date.UTC(2031, 0, 1, 0, 0, n, 7))

export function user(n: number, data: object, more: Partial<UserRecord> = {}): UserRecord {
  const userName = more.userName ?? `User${n}@Corp.Example`
  return {
    tenant: TENANT,
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    externalId: n % 3 === 0 ? null : `HR-${n % 5}`,
    userName,
    userNameKey: fold(userName),
    active: n % 4 === 0 ? false : n % 7 === 0 ? null : true,
    data: JSON.stringify(data),
    // Some of one millisecond, so that the id decides.
    created: at(Math.trunc(n / 2)),
    lastModified: at(100 - n),
    version: (n % 3) + 1,
    deletedAt: null,
    ...more,
  }
}

export function group(n: number, displayName: string, data: object = {}): GroupRecord {
  return {
    tenant: TENANT,
    id: `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`,
    externalId: n === 2 ? 'G2' : null,
    displayName,
    displayNameKey: fold(displayName),
    uniqueKey: fold(displayName),
    data: JSON.stringify(data),
    created: at(n),
    lastModified: at(n + 1),
    version: 1,
  }
}

const USERS: readonly UserRecord[] = [
  user(1, {
    displayName: 'Ada Lovelace',
    name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Dr' },
    emails: [
      { value: 'Ada@Corp.Example', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home', primary: false },
    ],
    title: 'Ärztin 50%_x',
    [ENTERPRISE_URN]: { department: 'R&D', manager: { value: user(2, {}).id } },
    [DESK_URN]: {
      floor: 3,
      height: 71.5,
      since: '2030-06-01T12:00:00+02:00',
      standing: true,
      badge: 'AbC',
      key: 'QUJD',
      tags: ['Window', 'quiet'],
      visits: ['2031-01-01T00:00:00Z', '2032-01-01T00:00:00.5Z'],
      screens: [
        { value: 'Left', serial: 'S1', inches: 27, bought: '2029-01-01T00:00:00Z' },
        { value: 'Right', serial: 's1', inches: 32, primary: true },
      ],
    },
  }),
  user(2, {
    name: { formatted: 'Bob the Builder', givenName: '', familyName: 'Builder' },
    emails: [{ value: 'bob@corp.example', type: 'work' }, { value: 'bob2@corp.example' }],
    phoneNumbers: [{ value: '+1 555', type: 'mobile', display: 'Cell' }],
    photos: [{ value: 'https://Pics.example/B.png', type: 'photo' }],
    [ENTERPRISE_URN]: { department: 'r&d', manager: { value: 'nobody' } },
    [DESK_URN]: { floor: 3, height: 71.5, since: '2030-06-01T10:00:00.000Z', standing: false },
  }),
  user(3, {
    displayName: 'Ǆ ﬁne 𝒜',
    name: { givenName: 'Çetin', familyName: 'Öz' },
    emails: [{ value: '', type: '' }],
    addresses: [
      { locality: 'Köln', country: 'DE', type: 'work', primary: true },
      { locality: 'Bonn', type: 'home' },
    ],
  }),
  user(4, { displayName: '', title: '', nickName: 'o\'"\\%' }),
  user(5, { displayName: 'ada lovelace', emails: [], name: {}, [DESK_URN]: { tags: [] } }),
  user(6, {
    emails: [{ type: 'work', primary: false }],
    roles: [{ value: 'admin', primary: true }, { value: 'Guest' }],
    [DESK_URN]: { floor: -1, since: '2030-06-01T10:00:00.250Z', screens: [{ inches: 32 }] },
  }),
  user(7, { addresses: [{ locality: 'köln' }], title: '2030-06-01T10:00:00Z' }),
  user(8, {}, { userName: 'ﬀ@Corp.example', externalId: 'hr-1' }),
  user(9, { displayName: 'Gone' }, { deletedAt: at(500) }),
]

const GROUPS: readonly GroupRecord[] = [
  group(1, 'Engineers'),
  group(2, 'engineers of Köln'),
  group(3, 'Everyone'),
  group(4, 'Nobody'),
]

/** The same records in any store. */
export async function fill(store: ScimStore): Promise<void> {
  for (const record of USERS) {
    await store.users.insert(TENANT, { ...record, deletedAt: null })
    if (record.deletedAt !== null) {
      await store.users.update(TENANT, { ...record, version: 9 }, record.version)
    }
  }
  for (const record of GROUPS) await store.groups.insert(TENANT, record)
  const members: readonly (readonly [number, readonly string[]])[] = [
    [1, [user(2, {}).id, user(1, {}).id]],
    [2, [user(3, {}).id, group(1, '').id]],
    [3, [user(1, {}).id, user(2, {}).id, user(7, {}).id]],
  ]
  for (const [n, ids] of members) {
    await store.members.add(TENANT, group(n, '').id, ids, at(n))
  }
  // Records of another tenant never show.
  await store.users.insert('other', user(1, { displayName: 'Ada Lovelace' }, { tenant: 'other' }))
  await store.groups.insert('other', { ...group(1, 'Engineers'), tenant: 'other' })
}
