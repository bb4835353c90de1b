import { describe, expect, test } from 'vitest'
import { BASE, createScim, ENTERPRISE as E } from './support.ts'

const name = 'a@corp.example'

describe('SC-21 SC-22 references', () => {
  test('the display of a member: displayName, formatted, given and family, or none', async () => {
    const scim = createScim()
    const ids: string[] = []
    for (const more of [
      { displayName: 'D', name: { formatted: 'F' } },
      { name: { formatted: 'F', givenName: 'G' } },
      { name: { givenName: 'G', familyName: 'N' } },
      { name: { familyName: 'N' } },
      {},
    ]) {
      ids.push(await scim.user(`u${ids.length}@corp.example`, more))
    }
    const group = await scim.group('g', ids)
    const { body } = await scim.get(`/Groups/${group}`)
    expect(body['members']).toEqual(
      ['D', 'F', 'G N', 'N', undefined].map((display, n) => ({
        value: ids[n],
        $ref: `${BASE}/Users/${ids[n]}`,
        type: 'User',
        ...(display !== undefined && { display }),
      })),
    )
  })

  test('only the value of a sent member is used', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const { body } = await scim.post('/Groups', {
      displayName: 'g',
      members: [{ value: id, $ref: null, display: 'Evil', type: 'Robot' }, { VALUE: id }],
    })
    expect(body['members']).toEqual([{ value: id, $ref: `${BASE}/Users/${id}`, type: 'User' }])
  })

  test('manager: $ref and displayName only when it is a user of the tenant', async () => {
    const scim = createScim()
    const boss = await scim.user('boss@corp.example', { displayName: 'B' })
    const id = await scim.user(name, {
      [E]: { manager: { value: boss, $ref: 'x', displayName: 'Evil' } },
    })
    const manager = async (): Promise<unknown> => (await scim.get(`/Users/${id}`)).body[E]
    expect(await manager()).toEqual({
      manager: { value: boss, $ref: `${BASE}/Users/${boss}`, displayName: 'B' },
    })
    expect(await scim.names('manager.displayName eq "b"')).toEqual([name])
    await scim.put(`/Users/${id}`, {
      userName: name,
      [E]: { manager: { value: 'elsewhere', $ref: 'https://x.example', displayName: 'Evil' } },
    })
    expect(await manager()).toEqual({ manager: { value: 'elsewhere' } })
  })

  test('SC-22 $ref and displayName of a manager are ignored in PATCH; an empty value is none', async () => {
    const scim = createScim()
    const id = await scim.user(name, { [E]: { manager: { value: 'm' }, department: 'd' } })
    const patched = async (operation: object): Promise<unknown> =>
      (await scim.patch(`/Users/${id}`, [operation])).body[E]
    const kept = { manager: { value: 'm' }, department: 'd' }
    for (const operation of [
      { op: 'add', path: `${E}:manager`, value: { $ref: 'https://x.example', displayName: 'x' } },
      { op: 'replace', path: `${E}:manager.$ref`, value: 'https://x.example' },
      { op: 'remove', path: `${E}:manager.$ref` },
      { op: 'replace', value: { [E]: { manager: { displayName: 'x' } } } },
    ]) {
      expect(await patched(operation)).toEqual(kept)
    }
    for (const value of [{ value: '' }, { value: null }, '', ['']]) {
      await patched({ op: 'add', path: 'manager', value: { value: 'm' } })
      const operation = { op: 'replace', path: `${E}:manager`, value }
      expect(await patched(operation)).toEqual({ department: 'd' })
    }
  })

  test('groups of a user are computed', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const group = await scim.group('Team', [id])
    const { body } = await scim.get(`/Users/${id}`)
    expect(body['groups']).toEqual([
      { value: group, $ref: `${BASE}/Groups/${group}`, display: 'Team', type: 'direct' },
    ])
    expect((await scim.delete(`/Groups/${group}`)).status).toBe(204)
    expect((await scim.get(`/Users/${id}`)).body).not.toHaveProperty('groups')
    expect((await scim.get(`/Groups/${group}`)).status).toBe(404)
  })
})
