import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

const TOKEN = 'secret'
const ROLE = 'urn:okta:scim:schemas:core:1.0:Role'
const ENTITLEMENT = 'urn:okta:scim:schemas:core:1.0:Entitlement'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

interface Body {
  readonly id: string
  readonly [name: string]: unknown
}

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url), { SCIM_TOKEN: TOKEN })
})
afterAll(() => example.stop())

async function call(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(`${example.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

const create = async (path: string, body: object): Promise<Body> => {
  const { status, body: made } = await call('POST', path, body)
  expect(status).toBe(201)
  return made
}

const resourcesOf = (body: Body): readonly Body[] => body['Resources'] as readonly Body[]

describe("SH-79 SH-42 the request sequence of Okta's entitlement connector", () => {
  test('finds roles and entitlements by their schemas and assigns them', async () => {
    const admin = await create('/Roles', { displayName: 'Administrator' })
    const seat = await create('/Entitlements', { displayName: 'Pro seat' })
    for (let n = 0; n < 3; n += 1) await create('/Roles', { displayName: `Role ${n}` })

    // Import: the types, the schemas, then each endpoint of a schema that it knows.
    const { body: types } = await call('GET', '/ResourceTypes')
    const { body: schemas } = await call('GET', '/Schemas')
    const known = resourcesOf(schemas).map(({ id }) => id)
    const found = resourcesOf(types).filter(({ schema }) => known.includes(String(schema)))
    const endpointOf = (urn: string): string =>
      String(found.find(({ schema }) => schema === urn)?.['endpoint'])
    expect([endpointOf(ROLE), endpointOf(ENTITLEMENT)]).toEqual(['/Roles', '/Entitlements'])
    const names: unknown[] = []
    for (let start = 1, total = 1; start <= total; start += 2) {
      const page = await call('GET', `${endpointOf(ROLE)}?startIndex=${start}&count=2`)
      total = Number(page.body['totalResults'])
      names.push(...resourcesOf(page.body).map(({ displayName }) => displayName))
    }
    expect(names).toEqual(['Administrator', 'Role 0', 'Role 1', 'Role 2'])
    const { body: entitlements } = await call('GET', '/Entitlements?startIndex=1&count=100')
    expect(resourcesOf(entitlements)).toMatchObject([
      { id: seat.id, type: 'Entitlement', displayName: 'Pro seat', schemas: [ENTITLEMENT] },
    ])

    // Provisioning: a user with both, then one role more, then none.
    const user = await create('/Users', {
      userName: 'ada@okta.example',
      roles: [{ value: admin.id, primary: true }],
      entitlements: [{ value: seat.id, type: 'Entitlement' }],
    })
    expect(user).toMatchObject({
      roles: [{ value: admin.id, display: 'Administrator' }],
      entitlements: [{ value: seat.id, display: 'Pro seat' }],
    })
    const patch = (operation: object) =>
      call('PATCH', `/Users/${user.id}`, { schemas: [PATCH], Operations: [operation] })
    const unknown = await patch({ op: 'add', path: 'roles', value: [{ value: 'nobody' }] })
    expect(unknown).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    const cleared = await patch({ op: 'replace', path: 'roles', value: [] })
    expect(cleared.status).toBe(200)
    expect(cleared.body).not.toHaveProperty('roles')
  })
})

describe('SH-79 agents and devices', () => {
  test('an agent has a unique name and is patched and deleted', async () => {
    const agent = await create('/Agents', { agentName: 'billing-bot', active: true })
    const again = await call('POST', '/Agents', { agentName: 'Billing-Bot' })
    expect(again).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    const off = { op: 'replace', path: 'active', value: false }
    const body = { schemas: [PATCH], Operations: [off] }
    expect(await call('PATCH', `/Agents/${agent.id}`, body)).toMatchObject({
      status: 200,
      body: { active: false, meta: { resourceType: 'Agent' } },
    })
    expect((await call('DELETE', `/Agents/${agent.id}`)).status).toBe(204)
    expect((await call('GET', `/Agents/${agent.id}`)).status).toBe(404)
  })

  test('a device follows the core schema of RFC 9944', async () => {
    const mudUrl = 'https://mud.example/thermometer'
    expect((await call('POST', '/Devices', { displayName: 'x' })).status).toBe(400)
    const device = await create('/Devices', { displayName: 'Thermometer', active: true, mudUrl })
    const filter = encodeURIComponent('active eq true and displayName sw "thermo"')
    const { body } = await call('GET', `/Devices?filter=${filter}`)
    expect(resourcesOf(body)).toMatchObject([{ id: device.id, mudUrl }])
  })
})
