import { SCIM_QUIRKS, type ScimQuirk } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, GROUP, PATCH, USER, type Harness } from './support.ts'

type Attempt = (
  scim: Harness,
  ids: { readonly user: string; readonly group: string },
) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>

const patched =
  (operations: unknown, type: 'user' | 'group' = 'user'): Attempt =>
  (scim, ids) =>
    scim.patch(`/${type === 'user' ? 'Users' : 'Groups'}/${ids[type]}`, {
      schemas: [PATCH],
      Operations: operations,
    })
const filtered =
  (filter: string): Attempt =>
  (scim) =>
    scim.get(`/Users?filter=${encodeURIComponent(filter)}`)

const TWO_PRIMARIES = [
  { value: 'a@x.example', type: 'work', primary: true },
  { value: 'A@x.example', type: 'home', primary: true },
]

/** The input each switch accepts, and the strict answer (section 11). */
const CASES: Readonly<Record<ScimQuirk, readonly (readonly [attempt: Attempt, strict: string])[]>> =
  {
    opCase: [[patched([{ op: 'Replace', path: 'title', value: 'x' }]), 'invalidSyntax']],
    booleanStrings: [
      [patched([{ op: 'replace', path: 'active', value: 'False' }]), 'invalidValue'],
      [filtered('active eq "True"'), 'invalidFilter'],
    ],
    emptyOperations: [[patched([]), 'invalidSyntax']],
    filterMissCreates: [
      [patched([{ op: 'add', path: 'emails[type eq "x"].value', value: 'y' }]), 'noTarget'],
    ],
    removeValueList: [],
    memberShorthand: [
      [
        (scim, { user, group }) =>
          patched([{ op: 'add', path: 'members', value: [user] }], 'group')(scim, { user, group }),
        'invalidValue',
      ],
    ],
    pathKeys: [],
    readOnlyInValue: [[patched([{ op: 'replace', value: { id: 'x', title: 'y' } }]), 'mutability']],
    singletonArrays: [
      [patched([{ op: 'replace', path: 'title', value: ['x'] }]), 'invalidValue'],
      [
        patched([{ op: 'replace', path: 'title', value: [{ $ref: null, value: 'x' }] }]),
        'invalidValue',
      ],
      [patched([{ op: 'add', path: 'name', value: [{ givenName: 'x' }] }]), 'invalidValue'],
    ],
    managerShorthand: [
      [patched([{ op: 'add', path: `${E}:manager`, value: 'm' }]), 'invalidValue'],
      [patched([{ op: 'add', path: `${E}:manager`, value: [{ value: 'm' }] }]), 'invalidValue'],
    ],
    unprefixedExtension: [
      [patched([{ op: 'add', path: 'department', value: 'd' }]), 'invalidPath'],
      [filtered('department eq "d"'), 'invalidFilter'],
      [(scim) => scim.get('/Users?sortBy=department'), 'invalidValue'],
    ],
    valuePathSub: [[filtered('emails[type eq "work"].value eq "x"'), 'invalidFilter']],
    bareFilterValues: [
      [filtered('userName eq ada@corp.example'), 'invalidFilter'],
      [patched([{ op: 'remove', path: 'emails[type eq work]' }]), 'invalidFilter'],
    ],
    legacySchemas: [
      [
        (scim, { user }) =>
          scim.put(`/Users/${user}`, {
            schemas: ['urn:scim:schemas:core:1.0', 'urn:scim:schemas:extension:enterprise:1.0'],
            userName: 'ada@corp.example',
          }),
        'invalidSyntax',
      ],
    ],
    barePatchBody: [
      [(scim, { user }) => scim.patch(`/Users/${user}`, { title: 'x' }), 'invalidSyntax'],
    ],
    missingSchemas: [
      [(scim) => scim.post('/Users', { userName: 'new@corp.example' }), 'invalidSyntax'],
      [
        (scim, { user }) =>
          scim.patch(`/Users/${user}`, { Operations: [{ op: 'add', path: 'title', value: 'x' }] }),
        'invalidSyntax',
      ],
    ],
    unknownPaths: [[patched([{ op: 'add', path: 'urn:x:y:tag', value: 'x' }]), 'invalidPath']],
    dottedExtension: [[filtered(`${E}.department eq "d"`), 'invalidFilter']],
    coreObject: [],
    valueShorthand: [[patched([{ op: 'add', path: 'roles', value: ['x'] }]), 'invalidValue']],
    jsonRoles: [],
    numberStrings: [[patched([{ op: 'add', path: 'title', value: 7 }]), 'invalidValue']],
    extraSlashes: [],
    emptyElements: [],
    samePrimary: [
      [patched([{ op: 'replace', path: 'emails', value: TWO_PRIMARIES }]), 'invalidValue'],
    ],
    discoveryAliases: [],
    jsonText: [[patched([{ op: 'replace', value: '{"title":"x"}' }]), 'invalidValue']],
  }

const setUp = async (
  quirks: 'all' | 'none' | Partial<Record<ScimQuirk, boolean>>,
): Promise<{ scim: Harness; ids: { user: string; group: string } }> => {
  const scim = createScim({ quirks })
  const user = await scim.post('/Users', { schemas: [USER], userName: 'ada@corp.example' })
  const group = await scim.post('/Groups', {
    schemas: [GROUP],
    displayName: 'g',
    members: [{ value: user.body.id }],
  })
  return { scim, ids: { user: user.body.id, group: group.body.id } }
}

describe.each(SCIM_QUIRKS.filter((quirk) => CASES[quirk].length > 0))('%s', (quirk) => {
  for (const [index, [attempt, strict]] of CASES[quirk].entries()) {
    test(`case ${index + 1}: accepted when on, ${strict} when off`, async () => {
      for (const quirks of ['all', { [quirk]: true }] as const) {
        const { scim, ids } = await setUp(quirks)
        const { status } = await attempt(scim, ids)
        expect([200, 201]).toContain(status)
      }
      for (const quirks of ['none', { [quirk]: false }] as const) {
        const { scim, ids } = await setUp(quirks)
        expect((await attempt(scim, ids)).body['scimType']).toBe(strict)
      }
    })
  }
})

test.each([
  ['title', ['a', 'b']],
  ['title', []],
  ['title', [['a']]],
  ['title', { value: 'a', display: 'b' }],
  ['title', { value: 5 }],
  ['title', { display: 'a' }],
  ['name', [{ givenName: 'a' }, { givenName: 'b' }]],
  [`${E}:manager`, ['a', 'b']],
])('singletonArrays: %s and %j is still invalidValue', async (path, value) => {
  const { scim, ids } = await setUp('all')
  expect((await patched([{ op: 'replace', path, value }])(scim, ids)).body['scimType']).toBe(
    'invalidValue',
  )
})

test('unprefixedExtension off: a name without URN in attributes is unknown', async () => {
  for (const [quirks, shown] of [
    ['all', true],
    ['none', false],
  ] as const) {
    const scim = createScim({ quirks })
    await scim.post('/Users', {
      schemas: [USER],
      userName: 'a@x.example',
      [E]: { department: 'd' },
    })
    const { body } = await scim.get('/Users?attributes=department')
    expect(JSON.stringify(body['Resources']).includes('"department"')).toBe(shown)
  }
})

test('removeValueList off: the whole attribute is removed', async () => {
  const { scim, ids } = await setUp({ removeValueList: false })
  await scim.patch(`/Groups/${ids.group}`, [
    { op: 'remove', path: 'members', value: [{ value: 'somebody else' }] },
  ])
  expect(await scim.members(ids.group)).toEqual([])
  const lenient = await setUp('all')
  const path = `/Users/${lenient.ids.user}`
  await lenient.scim.patch(path, [
    {
      op: 'add',
      path: 'emails',
      value: [
        { value: 'a', type: 'work' },
        { value: 'b', type: 'work' },
      ],
    },
  ])
  const { body } = await lenient.scim.patch(path, [
    { op: 'remove', path: 'emails', value: [{ value: 'a' }, { value: 'b', type: 'home' }] },
  ])
  expect(body['emails']).toEqual([{ value: 'b', type: 'work' }])
})

test('pathKeys off: keys that are paths are ignored', async () => {
  const { scim, ids } = await setUp({ pathKeys: false })
  const { status, body } = await scim.patch(`/Users/${ids.user}`, [
    {
      op: 'add',
      value: {
        'name.givenName': 'x',
        [`${E}:division`]: 'd',
        'emails[type eq "work"].value': 'e',
        title: 't',
        department: 'unprefixed',
        [E]: { department: 'd' },
      },
    },
  ])
  expect(status).toBe(200)
  expect(body).toMatchObject({ title: 't' })
  expect(body).not.toHaveProperty('name')
  expect(body).not.toHaveProperty('emails')
  expect(body[E]).toEqual({ department: 'd' })
})

test('switches default to on', async () => {
  const { scim, ids } = await setUp({ opCase: false })
  const operations = [{ op: 'replace', path: 'active', value: 'False' }]
  expect((await patched(operations)(scim, ids)).status).toBe(200)
  expect((await patched([{ ...operations[0], op: 'Replace' }])(scim, ids)).status).toBe(400)
})

test('an unknown switch is a configuration error', () => {
  const quirks = JSON.parse('{"quirkiness":true}') as object
  expect(() => createScim({ quirks })).toThrow(
    expect.objectContaining({ option: 'quirks.quirkiness' }),
  )
})
