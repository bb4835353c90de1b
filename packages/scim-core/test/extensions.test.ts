import { describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, GROUP, list, problem, USER } from './support.ts'

const name = 'a@corp.example'

describe('SC-25 extensions of the host', () => {
  const urn = 'urn:example:params:scim:schemas:badge:2.0'
  const extension = {
    urn,
    name: 'Badge',
    description: 'Badges',
    resourceType: 'Group' as const,
    required: false,
    attributes: [
      { name: 'level', type: 'integer' as const, required: true },
      { name: 'tags', multiValued: true },
      { name: 'secret', returned: 'never' as const },
      { name: 'hint', returned: 'request' as const },
      { name: 'serial', mutability: 'immutable' as const },
    ],
  }

  test('work in validation, schemas, filters, paths and discovery', async () => {
    const scim = createScim({ extensions: [extension] })
    const { body } = await scim.post('/Groups', {
      displayName: 'g',
      [urn]: { level: 3, tags: ['a', 'a', 'b'], secret: 's', hint: 'h', serial: '1' },
    })
    expect(body['schemas']).toEqual([GROUP, urn])
    expect(body[urn]).toEqual({ level: 3, tags: ['a', 'b'], serial: '1' })
    const path = `/Groups/${body.id}`
    expect((await scim.get(`${path}?attributes=${urn}:hint,${urn}:secret`)).body[urn]).toEqual({
      hint: 'h',
    })
    const filter = encodeURIComponent(`${urn}:tags eq "A" and ${urn}:level ge 3`)
    expect((await scim.get(`/Groups?filter=${filter}`)).body['totalResults']).toBe(1)
    for (const wrong of ['co 3', 'eq "3"', 'eq true'])
      expect((await scim.get(`/Groups?filter=${urn}:level+${wrong}`)).body).toMatchObject(
        problem(400, 'invalidFilter'),
      )
    const patched = await scim.patch(path, [
      { op: 'add', path: `${urn}:tags`, value: 'c' },
      { op: 'remove', path: `${urn}:tags[value eq "a"]` },
      { op: 'replace', value: { [`${urn}:level`]: 4 } },
    ])
    expect(patched.body[urn]).toEqual({ level: 4, tags: ['b', 'c'], serial: '1' })
    for (const operations of [
      [{ op: 'remove', path: `${urn}:level` }],
      [{ op: 'replace', path: `${urn}:serial`, value: '2' }],
    ]) {
      expect((await scim.patch(path, operations)).body).toMatchObject(problem(400, 'mutability'))
    }
    expect(
      (await scim.post('/Groups', { displayName: 'h', [urn]: { tags: ['x'] } })).body,
    ).toMatchObject(problem(400, 'invalidValue'))
    const types = list((await scim.get('/ResourceTypes')).body['Resources'])
    expect(types[1]).toHaveProperty('schemaExtensions', [{ schema: urn, required: false }])
    expect((await scim.get(`/Schemas/${urn}`)).body).toMatchObject({ id: urn, name: 'Badge' })
    for (const [serial, status] of [
      ['2', 400],
      ['1', 200],
    ] as const) {
      const put = await scim.put(path, { displayName: 'g', [urn]: { level: 4, serial } })
      expect(put.status).toBe(status)
    }
    const removed = await scim.patch(path, [{ op: 'remove', path: urn }])
    expect(removed.body['schemas']).toEqual([GROUP])
  })

  test('a required extension must be given and cannot be removed', async () => {
    const attributes = [{ name: 'level', type: 'integer' as const }]
    const scim = createScim({ extensions: [{ ...extension, required: true, attributes }] })
    expect((await scim.post('/Groups', { displayName: 'g' })).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    const { body } = await scim.post('/Groups', { displayName: 'g', [urn]: { level: 1 } })
    const path = `/Groups/${body.id}`
    expect((await scim.put(path, { displayName: 'g' })).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    expect((await scim.patch(path, [{ op: 'remove', path: urn }])).body).toMatchObject(
      problem(400, 'mutability'),
    )
    const types = list((await scim.get('/ResourceTypes')).body['Resources'])
    expect(types[1]).toHaveProperty('schemaExtensions', [{ schema: urn, required: true }])
  })

  test('an attribute without URN is found when exactly one extension has its name', async () => {
    const of = (letter: string) => ({
      ...extension,
      urn: `urn:example:${letter}`,
      name: letter,
      resourceType: 'User' as const,
      attributes: [{ name: 'level' }, { name: `only${letter}` }],
    })
    const scim = createScim({ extensions: [of('a'), of('b')] })
    await scim.user(name, { 'urn:example:a': { level: '1', onlya: '2' } })
    expect(await scim.names('onlya eq "2"')).toEqual([name])
    expect(await scim.names('urn:example:a:level eq "1"')).toEqual([name])
    expect(await scim.names('level eq "1"')).toEqual([400, 'invalidFilter'])
  })

  test('SC-27 an immutable value of a user survives a PUT', async () => {
    const scim = createScim({ extensions: [{ ...extension, resourceType: 'User' }] })
    const id = await scim.user(name, { [urn]: { level: 1, serial: '1' } })
    const put = (values: object | undefined) =>
      scim.put(`/Users/${id}`, { userName: name, ...(values && { [urn]: values }) })
    for (const values of [{ level: 1, serial: '2' }, { level: 1 }, undefined]) {
      expect((await put(values)).body).toMatchObject(problem(400, 'mutability'))
    }
    expect((await put({ level: 2, serial: '1' })).status).toBe(200)
  })

  test.each([
    { urn: 'no urn' },
    { urn: E },
    { attributes: [{ name: '__proto__' }] },
    { attributes: [{ name: 'toString' }] },
    { attributes: [{ name: 'a b' }] },
    { attributes: [{ name: 'a' }, { name: 'A' }] },
    { attributes: [{ name: 'a', type: 'complex' as const }] },
    {
      attributes: [
        { name: 'a', type: 'complex' as const, subAttributes: [{ name: 'b', multiValued: true }] },
      ],
    },
    {
      attributes: [
        { name: 'a', type: 'complex' as const, subAttributes: [{ name: 'b' }, { name: 'B' }] },
      ],
    },
  ])('refused at construction: %j', (wrong) => {
    expect(() => createScim({ extensions: [{ ...extension, ...wrong }] })).toThrow(
      expect.objectContaining({ option: 'extensions' }),
    )
  })

  test('D6 without the enterprise extension its data is unknown', async () => {
    const scim = createScim({ enterprise: false })
    const { body } = await scim.post('/Users', { userName: name, [E]: { department: 'd' } })
    expect(body['schemas']).toEqual([USER])
    expect(await scim.names('department pr')).toEqual([400, 'invalidFilter'])
  })
})
