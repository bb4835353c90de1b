import { beforeEach, describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, list, PATCH, problem, USER, type Harness } from './support.ts'

let scim: Harness
let id: string

const WORK = { value: 'w@x.example', type: 'work', primary: true }
const HOME = { value: 'h@x.example', type: 'home' }

beforeEach(async () => {
  scim = createScim()
  id = await scim.user('ada@corp.example', {
    title: 'T',
    name: { givenName: 'Ada', familyName: 'L' },
    emails: [WORK, HOME],
    [E]: { department: 'D', costCenter: 'C' },
  })
})

const patch = async (...operations: unknown[]): Promise<Record<string, unknown>> =>
  (await scim.patch(`/Users/${id}`, operations)).body
/** The scimType an operation is refused with, leaving the user as it is. */
const refusal = async (operation: unknown): Promise<unknown> => {
  const before = (await scim.get(`/Users/${id}`)).body
  const { status, scimType } = await patch(operation)
  expect(status).toBe('400')
  expect((await scim.get(`/Users/${id}`)).body).toEqual(before)
  return scimType
}

describe('SC-45 the body', () => {
  test.each([
    [{ Operations: [{ op: 'add', path: 'title', value: 'x' }] }, 200],
    [
      {
        schemas: [PATCH, 'urn:other'],
        OPERATIONS: [{ OP: 'add', PATH: 'title', VALUE: 'x', extra: 1 }],
      },
      200,
    ],
    [{ Operations: [{ op: 'add', path: null, value: { title: 'x' } }] }, 200],
    [{ schemas: [PATCH] }, 400],
    [{ schemas: [PATCH], title: 'x' }, 400],
    [{ schemas: [PATCH], Operations: {} }, 400],
    [{ schemas: [PATCH], Operations: { op: 'add', path: 'title', value: 'x' } }, 400],
    [{ schemas: [PATCH], Operations: ['x'] }, 400],
    [{ schemas: [PATCH], Operations: [null] }, 400],
    [{ schemas: [PATCH], Operations: [{ path: 'title', value: 'x' }] }, 400],
    [{ schemas: [PATCH], Operations: [{ op: 'move', path: 'title', value: 'x' }] }, 400],
    [{ schemas: [PATCH], Operations: [{ op: 5 }] }, 400],
    [{ schemas: [USER], Operations: [{ op: 'add', path: 'title', value: 'x' }] }, 200],
    [{}, 400],
  ])('%j: %i', async (body, status) => {
    const answer = await scim.patch(`/Users/${id}`, body)
    expect(answer.status).toBe(status)
    expect(answer.body['scimType']).toBe(status === 200 ? undefined : 'invalidSyntax')
  })

  test.each([
    [{ op: 'add', path: 'title' }, 'invalidValue'],
    [{ op: 'replace', path: 'title' }, 'invalidValue'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', value: ['x'] }, 'invalidValue'],
    [{ op: 'add', path: 5, value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: '', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'title.', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'ti tle', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'shoeSize', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'name.shoe', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'emails[0].value', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'emails[]', value: {} }, 'invalidPath'],
    [{ op: 'add', path: 'emails[type eq "work"', value: {} }, 'invalidPath'],
    [{ op: 'add', path: 'emails[type eq "work"]x', value: {} }, 'invalidPath'],
    [{ op: 'add', path: 'title[value eq "x"]', value: {} }, 'invalidPath'],
    [{ op: 'add', path: 'emails[type is "work"].value', value: 'x' }, 'invalidFilter'],
    [{ op: 'add', path: 'emails[shoe eq "work"].value', value: 'x' }, 'invalidFilter'],
    [{ op: 'add', path: 'emails[primary gt true].value', value: 'x' }, 'invalidFilter'],
    [{ op: 'add', path: 'title[type eq "x"]', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'name[givenName eq "Ada"].familyName', value: 'x' }, 'invalidPath'],
    [
      { op: 'remove', path: `emails[${Array.from({ length: 65 }, () => 'type pr').join(' or ')}]` },
      'invalidFilter',
    ],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'remove', value: { title: 'x' } }, 'noTarget'],
    [{ op: 'add', path: 'name', value: 'x' }, 'invalidValue'],
    [{ op: 'add', path: 'emails', value: true }, 'invalidValue'],
    [{ op: 'add', path: E, value: 'x' }, 'invalidValue'],
  ])('%j: %s', async (operation, scimType) => {
    expect(await refusal(operation)).toBe(scimType)
  })
})

describe('SC-46 paths', () => {
  test.each([
    ['title', 'title'],
    ['name.givenName', 'name'],
    [`${USER}:title`, 'title'],
    [`${USER}:name.givenName`, 'name'],
    [`${E}:department`, E],
    ['emails[type eq "work"].display', 'emails'],
    ['emails[value eq "a]b.c\\"d" or type eq "home"].display', 'emails'],
  ])('%s', async (path, changed) => {
    const { status } = await scim.patch(`/Users/${id}`, [{ op: 'replace', path, value: 'new' }])
    expect(status).toBe(200)
    expect(scim.payloads.at(-1)?.event).toMatchObject({ entry: { changed: [changed] } })
  })
})

describe('SC-47 order and end state', () => {
  test('each operation works on the result of the one before', async () => {
    const body = await patch(
      { op: 'add', path: 'nickName', value: 'a' },
      { op: 'remove', path: 'nickName' },
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'title', value: 'b' },
    )
    expect(body).not.toHaveProperty('nickName')
    expect(body['title']).toBe('b')
  })

  test('required attributes, formats and uniqueness are checked at the end', async () => {
    await scim.user('taken@corp.example')
    for (const wrong of ['', 'no e-mail', 'taken@corp.example']) {
      const body = await patch(
        { op: 'replace', path: 'userName', value: wrong },
        { op: 'replace', path: 'userName', value: 'ada@corp.example' },
      )
      expect(body['userName']).toBe('ada@corp.example')
    }
    expect(await refusal({ op: 'replace', path: 'userName', value: '' })).toBe('invalidValue')
    expect(await refusal({ op: 'replace', path: 'userName', value: 'x' })).toBe('invalidValue')
    const group = await scim.group('g')
    const empty = [{ op: 'replace', path: 'displayName', value: '' }]
    expect((await scim.patch(`/Groups/${group}`, empty)).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
  })
})

describe('SC-48 add', () => {
  test('singular: set; complex: merge; list: append; extension: merge', async () => {
    const body = await patch(
      { op: 'add', path: 'title', value: 'X' },
      { op: 'add', path: 'name', value: { middleName: 'M', givenName: null } },
      { op: 'add', path: 'emails', value: { value: 'n@x.example' } },
      { op: 'add', path: E, value: { division: 'V', 'manager.value': 'm' } },
    )
    const name = { familyName: 'L', middleName: 'M', givenName: 'Ada' }
    expect(body).toMatchObject({ title: 'X', name })
    expect(body['emails']).toEqual([WORK, HOME, { value: 'n@x.example' }])
    expect(body[E]).toEqual({
      department: 'D',
      costCenter: 'C',
      division: 'V',
      manager: { value: 'm' },
    })
  })

  test('an element that already has all given values is not added again', async () => {
    const body = await patch({
      op: 'add',
      path: 'emails',
      value: [{ value: 'h@x.example' }, { value: 'h@x.example', type: 'work' }],
    })
    expect(body['emails']).toEqual([WORK, HOME, { value: 'h@x.example', type: 'work' }])
  })

  test('null adds nothing to a list; elements that become equal are merged', async () => {
    expect((await patch({ op: 'add', path: 'emails', value: null }))['emails']).toEqual([
      WORK,
      HOME,
    ])
    const body = await patch({
      op: 'replace',
      path: 'emails[type eq "work"]',
      value: { ...HOME, primary: null },
    })
    expect(body['emails']).toEqual([HOME])
  })

  test('attr[filter].sub is set in all matches, attr[filter] merged into them', async () => {
    const body = await patch(
      { op: 'add', path: 'emails[value co "x.example"].display', value: 'D' },
      { op: 'add', path: 'emails[type eq "home"]', value: { type: 'other' } },
    )
    expect(body['emails']).toEqual([
      { ...WORK, display: 'D' },
      { ...HOME, display: 'D', type: 'other' },
    ])
  })
})

describe('SC-49 replace', () => {
  test('replaces whole lists, with an object, null or []', async () => {
    expect(
      (await patch({ op: 'replace', path: 'emails', value: { value: 'x' } }))['emails'],
    ).toEqual([{ value: 'x' }])
    expect(await patch({ op: 'replace', path: 'emails', value: [] })).not.toHaveProperty('emails')
    expect((await patch({ op: 'replace', path: 'emails', value: [WORK] }))['emails']).toEqual([
      WORK,
    ])
    expect((await patch({ op: 'replace', path: 'emails', value: [HOME] }))['emails']).toEqual([
      HOME,
    ])
    expect(await patch({ op: 'replace', path: 'emails', value: null })).not.toHaveProperty('emails')
  })

  test('merges complex values, sub-attributes in all elements, and filters with an object', async () => {
    const body = await patch(
      { op: 'replace', path: 'name', value: { givenName: 'B' } },
      { op: 'replace', path: 'emails.display', value: 'all' },
      { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'new' } },
      { op: 'replace', path: 'nickName', value: 'was absent' },
    )
    expect(body).toMatchObject({
      name: { givenName: 'B', familyName: 'L' },
      nickName: 'was absent',
    })
    expect(body['emails']).toEqual([
      { ...WORK, display: 'all' },
      { value: 'new', type: 'home', display: 'all' },
    ])
  })

  test('null removes the value; for a required attribute it is a mutability error', async () => {
    expect(await patch({ op: 'replace', path: 'name.givenName', value: null })).toMatchObject({
      name: { familyName: 'L' },
    })
    expect(await patch({ op: 'replace', value: { title: null } })).not.toHaveProperty('title')
    expect(await refusal({ op: 'replace', path: 'userName', value: null })).toBe('mutability')
    expect(await refusal({ op: 'replace', value: { userName: null } })).toBe('mutability')
  })
})

describe('SC-50 remove', () => {
  test('a complex value whose last sub-attribute is set to null is removed', async () => {
    expect(
      await patch({ op: 'replace', path: 'name', value: { givenName: null, familyName: null } }),
    ).not.toHaveProperty('name')
    await patch({ op: 'add', path: 'name', value: { givenName: 'A' } })
    expect(await patch({ op: 'replace', path: 'name.givenName', value: null })).not.toHaveProperty(
      'name',
    )
  })

  test('required and immutable attributes of an extension are kept', async () => {
    const urn = 'urn:example:badge'
    const extended = createScim({
      extensions: [
        {
          urn,
          name: 'Badge',
          description: '',
          resourceType: 'User',
          required: false,
          attributes: [
            { name: 'serial', mutability: 'immutable' },
            {
              name: 'color',
              type: 'complex',
              subAttributes: [{ name: 'value', required: true }, { name: 'note' }],
            },
          ],
        },
      ],
    })
    const user = `/Users/${await extended.user('a@x.example', { [urn]: { color: { value: 'red' } } })}`
    const run = async (operation: object): Promise<unknown> => {
      const { status, body } = await extended.patch(user, [operation])
      return status === 200 ? body[urn] : body['scimType']
    }
    const color = { value: 'red' }
    expect(await run({ op: 'remove', path: `${urn}:color.value` })).toBe('mutability')
    expect(await run({ op: 'remove', path: `${urn}:color.note` })).toEqual({ color })
    expect(await run({ op: 'add', path: `${urn}:serial`, value: '1' })).toEqual({
      color,
      serial: '1',
    })
    expect(await run({ op: 'replace', path: `${urn}:serial`, value: '1' })).toEqual({
      color,
      serial: '1',
    })
    for (const operation of [
      { op: 'replace', path: `${urn}:serial`, value: '2' },
      { op: 'remove', path: `${urn}:serial` },
    ]) {
      expect(await run(operation)).toBe('mutability')
    }
  })

  test('removing the last sub-attribute removes the complex value', async () => {
    const body = await patch(
      { op: 'remove', path: 'emails.type' },
      { op: 'remove', path: 'emails[value eq "w@x.example"].value' },
      { op: 'remove', path: `${E}:department` },
      { op: 'remove', path: `${E}:costCenter` },
    )
    expect(body['emails']).toEqual([{ value: 'h@x.example' }])
    expect(body).not.toHaveProperty([E])
    expect(body['schemas']).toEqual([USER])
  })

  test('removes a whole extension; removing a missing value is no error', async () => {
    expect(await patch({ op: 'remove', path: E })).not.toHaveProperty([E])
    const before = (await scim.get(`/Users/${id}`)).body
    const body = await patch(
      { op: 'remove', path: E },
      { op: 'remove', path: 'nickName' },
      { op: 'remove', path: 'addresses[type eq "work"]' },
      { op: 'remove', path: 'emails[type eq "none"].value' },
      { op: 'remove', path: 'name.middleName' },
    )
    expect(body).toEqual(before)
  })

  test('displayName of a group is required', async () => {
    const group = await scim.group('g')
    const { body } = await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'displayName' }])
    expect(body).toMatchObject(problem(400, 'mutability'))
  })
})

test('D15 remove with null as value empties a list', async () => {
  expect(await patch({ op: 'remove', path: 'emails', value: null })).not.toHaveProperty('emails')
})

describe('SC-51 primary', () => {
  test('an added primary demotes the others; several in one operation are refused', async () => {
    const body = await patch({ op: 'add', path: 'emails', value: [{ value: 'n', primary: true }] })
    expect(list(body['emails']).map((email) => Reflect.get(email, 'primary'))).toEqual([
      false,
      undefined,
      true,
    ])
    const several = [
      { value: 'a', primary: true },
      { value: 'b', primary: true },
    ]
    for (const operation of [
      { op: 'add', path: 'emails', value: several },
      { op: 'replace', path: 'emails[value co "x.example"].primary', value: true },
      { op: 'replace', path: 'emails.primary', value: true },
    ]) {
      expect(await refusal(operation)).toBe('invalidValue')
    }
  })

  test('primary in an object for matching elements demotes the others, in any spelling', async () => {
    for (const [filter, key] of [
      ['home', 'primary'],
      ['work', 'PRIMARY'],
    ] as const) {
      const operation = {
        op: 'replace',
        path: `emails[type eq "${filter}"]`,
        value: { [key]: 'True' },
      }
      const primaries = list((await patch(operation))['emails']).filter(
        (email) => Reflect.get(email, 'primary') === true,
      )
      expect(primaries).toMatchObject([{ type: filter }])
    }
  })

  test('updating an element without primary demotes no other', async () => {
    const unset = await patch({
      op: 'replace',
      path: 'emails[type eq "home"].primary',
      value: false,
    })
    expect(unset['emails']).toEqual([WORK, { ...HOME, primary: false }])
    await patch({ op: 'remove', path: 'emails[type eq "home"].primary' })
    const body = await patch({ op: 'replace', path: 'emails[type eq "work"].display', value: 'W' })
    expect(body['emails']).toEqual([{ ...WORK, display: 'W' }, HOME])
  })
})

describe('SC-52 SC-53 values without path', () => {
  test('each key is its own operation; other attributes are kept', async () => {
    const body = await patch({
      op: 'add',
      value: { title: 'X', emails: [{ value: 'n' }], shoeSize: 3, id: 'x', groups: [] },
    })
    expect(body).toMatchObject({ id, title: 'X', name: { givenName: 'Ada' } })
    expect(body['emails']).toHaveLength(3)
    expect(body).not.toHaveProperty('shoeSize')
  })

  test('keys that are not paths, or name the password, are ignored', async () => {
    const before = (await scim.get(`/Users/${id}`)).body
    const value = { 'emails[type eq "work"': 'x', 'a b': 1, '': 2, password: 'p', meta: 'x' }
    for (const op of ['add', 'replace']) expect(await patch({ op, value })).toEqual(before)
    expect(await patch({ op: 'replace', path: 'password', value: 'p' })).toEqual(before)
  })

  test('an extension as an object, with paths as keys', async () => {
    const body = await patch({
      op: 'replace',
      value: { [E]: { department: 'N', 'manager.value': 'm', 'manager.displayName': 'x' } },
    })
    expect(body[E]).toEqual({ department: 'N', costCenter: 'C', manager: { value: 'm' } })
  })

  test('a group replaced without members keeps them', async () => {
    const group = await scim.group('g', [id])
    await scim.patch(`/Groups/${group}`, [
      { op: 'replace', value: { displayName: 'h', externalId: 'e' } },
    ])
    expect(await scim.members(group)).toEqual([id])
  })

  test('a plain attribute object is one replace', async () => {
    for (const body of [
      { active: false, title: 'P' },
      { schemas: [USER], active: false, title: 'P' },
    ]) {
      const answer = await scim.patch(`/Users/${id}`, body)
      expect(answer.body).toMatchObject({ active: false, title: 'P', name: { givenName: 'Ada' } })
    }
  })
})

describe('SC-54 filters that match nothing', () => {
  test('a list of simple values, or a term with null, creates nothing', async () => {
    expect(await refusal({ op: 'add', path: 'ims[type eq null].value', value: 'x' })).toBe(
      'noTarget',
    )
    const urn = 'urn:example:tags'
    const attributes = [{ name: 'tags', multiValued: true }]
    const tagged = createScim({
      extensions: [
        { urn, name: 'T', description: '', resourceType: 'User', required: false, attributes },
      ],
    })
    const user = await tagged.user('a@x.example', { [urn]: { tags: ['a'] } })
    const replace = async (value: string) =>
      tagged.patch(`/Users/${user}`, [
        { op: 'replace', path: `${urn}:tags[value eq "${value}"]`, value: 'b' },
      ])
    expect((await replace('z')).body).toMatchObject(problem(400, 'noTarget'))
    expect((await replace('a')).body[urn]).toEqual({ tags: ['b'] })
  })

  test('one element is filled by several operations; a created primary demotes', async () => {
    const body = await patch(
      {
        op: 'add',
        path: 'emails[type eq "other" and primary eq true].value',
        value: 'o@x.example',
      },
      { op: 'replace', path: 'emails[type eq "other"].display', value: 'O' },
      { op: 'add', path: 'addresses[type eq "work"]', value: { country: 'HR' } },
    )
    expect(body['emails']).toEqual([
      { ...WORK, primary: false },
      HOME,
      { type: 'other', primary: true, value: 'o@x.example', display: 'O' },
    ])
    expect(body['addresses']).toEqual([{ type: 'work', country: 'HR' }])
  })

  test.each([
    'type sw "o"',
    'type eq "a" or type eq "b"',
    'not (type pr)',
    'type pr and value pr',
    'type ne "work" and value eq "q"',
  ])('%s: noTarget', async (filter) => {
    const operation = { op: 'replace', path: `ims[${filter}].value`, value: 'x' }
    expect(await refusal(operation)).toBe('noTarget')
  })
})

describe('SC-55 readOnly and immutable', () => {
  test.each([
    'id',
    'meta',
    'meta.created',
    'groups',
    'groups[value eq "x"]',
    'groups.value',
    'manager.displayName',
    `${E}:manager.displayName`,
  ])('%s cannot be written by path', async (path) => {
    for (const op of ['add', 'replace', 'remove'])
      expect(await refusal({ op, path, value: 'x' })).toBe('mutability')
  })
})
