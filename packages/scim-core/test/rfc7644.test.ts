import { describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, GROUP, list, MESSAGES, PATCH, USER } from './support.ts'

test('section 3.3: creating a resource', async () => {
  const scim = createScim({ userName: 'any' })
  const { status, headers, body } = await scim.post('/Users', {
    schemas: [USER],
    userName: 'bjensen',
    externalId: 'bjensen',
    name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
  })
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(Reflect.get(body['meta'] as object, 'location'))
})

/** Three people whom the examples of figure 2 tell apart. */
const PEOPLE: readonly (readonly [userName: string, attributes: object])[] = [
  [
    'bjensen',
    {
      schemas: [USER, E],
      name: { familyName: 'Jensen' },
      title: 'Tour Guide',
      userType: 'Employee',
      emails: [
        { value: 'bjensen@example.com', type: 'work' },
        { value: 'babs@jensen.org', type: 'home' },
      ],
      [E]: { department: 'Tours' },
    },
  ],
  [
    'omalley',
    {
      name: { familyName: "O'Malley" },
      userType: 'Intern',
      emails: [{ value: 'omalley@example.org', type: 'home' }],
    },
  ],
  [
    'Jane',
    {
      title: 'Auditor',
      userType: 'Contractor',
      emails: [{ value: 'jane@elsewhere.net', type: 'work' }],
      ims: [{ value: 'jane@foo.com', type: 'xmpp' }],
    },
  ],
]
const ALL = ['bjensen', 'omalley', 'Jane']

test.each([
  ['userName eq "bjensen"', ['bjensen']],
  ['name.familyName co "O\'Malley"', ['omalley']],
  ['userName sw "J"', ['Jane']],
  [`${USER}:userName sw "J"`, ['Jane']],
  ['title pr', ['bjensen', 'Jane']],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', ALL],
  ['meta.lastModified ge "2011-05-13T04:42:34Z"', ALL],
  ['meta.lastModified lt "2011-05-13T04:42:34Z"', []],
  ['meta.lastModified le "2011-05-13T04:42:34Z"', []],
  ['title pr and userType eq "Employee"', ['bjensen']],
  ['title pr or userType eq "Intern"', ALL],
  [`schemas eq "${E}"`, ['bjensen']],
  [
    'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
    ['bjensen'],
  ],
  [
    'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
    ['Jane'],
  ],
  ['userType eq "Employee" and (emails.type eq "work")', ['bjensen']],
  ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', ['bjensen']],
  [
    'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
    ['bjensen', 'Jane'],
  ],
])('section 3.4.2.2, figure 2: %s', async (filter, matches) => {
  const scim = createScim({ userName: 'any' })
  for (const [userName, attributes] of PEOPLE) await scim.user(userName, attributes)
  expect(await scim.names(filter)).toEqual(matches)
})

describe('section 3.5.2: PATCH', () => {
  test('adding members, the value of a list, and without path', async () => {
    const scim = createScim()
    const id = await scim.user('babs@example.com')
    const group = await scim.group('g')
    await scim.patch(`/Groups/${group}`, {
      schemas: [PATCH],
      Operations: [
        { op: 'add', path: 'members', value: [{ display: 'Babs Jensen', $ref: 'x', value: id }] },
      ],
    })
    expect(await scim.members(group)).toEqual([id])
    const { body } = await scim.patch(`/Users/${id}`, {
      schemas: [PATCH],
      Operations: [
        {
          op: 'add',
          value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' },
        },
      ],
    })
    expect(body).toMatchObject({
      emails: [{ value: 'babs@jensen.org', type: 'home' }],
      nickName: 'Babs',
    })
  })

  test('removing one member, all members, and values by filter', async () => {
    const scim = createScim()
    const ids = [
      await scim.user('a@example.com', {
        emails: [
          { type: 'work', value: 'a@example.com' },
          { type: 'home', value: 'b' },
        ],
      }),
      await scim.user('b@example.com'),
    ]
    const group = await scim.group('g', ids)
    await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: `members[value eq "${ids[0]}"]` }])
    expect(await scim.members(group)).toEqual([ids[1]])
    await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'members' }])
    expect(await scim.members(group)).toEqual([])
    const { body } = await scim.patch(`/Users/${ids[0]}`, [
      { op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' },
    ])
    expect(body['emails']).toEqual([{ type: 'home', value: 'b' }])
  })

  test('replacing all addresses of a kind, one sub-attribute, and without path', async () => {
    const scim = createScim()
    const id = await scim.user('a@example.com', {
      addresses: [
        { type: 'work', streetAddress: '1', country: 'US' },
        { type: 'home', country: 'US' },
      ],
    })
    const work = {
      type: 'work',
      streetAddress: '911 Universal City Plaza',
      locality: 'Hollywood',
      region: 'CA',
      postalCode: '91608',
    }
    const patch = async (...operations: object[]): Promise<unknown> =>
      (await scim.patch(`/Users/${id}`, operations)).body['addresses']
    expect(await patch({ op: 'replace', path: 'addresses[type eq "work"]', value: work })).toEqual([
      { ...work, country: 'US' },
      { type: 'home', country: 'US' },
    ])
    expect(
      await patch({
        op: 'replace',
        path: 'addresses[type eq "work"].streetAddress',
        value: '1010 Broadway Ave',
      }),
    ).toMatchObject([{ streetAddress: '1010 Broadway Ave' }, {}])
    expect(await patch({ op: 'replace', value: { addresses: [work] } })).toEqual([work])
  })
})

test('section 3.4.3: search over all types', async () => {
  const scim = createScim()
  await scim.user('smith@example.com', { displayName: 'Smith, James' })
  await scim.group('Smith Family')
  const { body } = await scim.post('/.search', {
    schemas: [`${MESSAGES}:SearchRequest`],
    attributes: ['displayName', 'userName'],
    filter: 'displayName sw "smith"',
    startIndex: 1,
    count: 10,
  })
  expect(body).toMatchObject({ totalResults: 2, itemsPerPage: 2, startIndex: 1 })
  expect(list(body['Resources'])).toMatchObject([
    { schemas: [USER], displayName: 'Smith, James', userName: 'smith@example.com' },
    { schemas: [GROUP], displayName: 'Smith Family' },
  ])
})

test('section 3.7.2, SF-21: a circular reference in bulk is resolved, and refused where it closes a circle of groups', async () => {
  const scim = createScim({ bulk: true, nestedGroups: true })
  const { body } = await scim.post('/Bulk', {
    schemas: [`${MESSAGES}:BulkRequest`],
    Operations: [
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'qwerty',
        data: {
          schemas: [GROUP],
          displayName: 'Group A',
          members: [{ type: 'Group', value: 'bulkId:ytrewq' }],
        },
      },
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'ytrewq',
        data: {
          schemas: [GROUP],
          displayName: 'Group B',
          members: [{ type: 'Group', value: 'bulkId:qwerty' }],
        },
      },
    ],
  })
  const results = list(body['Operations'])
  expect(results).toMatchObject([
    { status: '400', response: { detail: 'The group "Group A" would contain itself.' } },
    { status: '201' },
  ])
  const ids = results.map((result) => String(Reflect.get(result, 'location')).split('/').at(-1))
  expect(await scim.members(ids[0] ?? '')).toEqual([])
  expect(await scim.members(ids[1] ?? '')).toEqual([ids[0]])
})
