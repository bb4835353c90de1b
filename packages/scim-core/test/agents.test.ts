import { AGENT_URN, createAgentTypes } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { beforeEach, describe, expect, test } from 'vitest'
import { createScim, type Harness } from './support.ts'

let scim: Harness
let ada: string
let team: string

beforeEach(async () => {
  const store = createMemoryScimStore()
  scim = createScim({ store, resourceTypes: createAgentTypes({ store }) })
  const { users, groups } = scim.service
  ada = (await users.create('default', { userName: 'ada@corp.example', displayName: 'Ada' })).id
  team = (await groups.create('default', { displayName: 'Team' })).id
})

const post = (body: object) => scim.post('/Agents', { schemas: [AGENT_URN], ...body })

describe('agents', () => {
  test('DP-54 an agent has a unique name, owners that exist, and is active', async () => {
    const made = await post({
      agentUserName: 'Invoice-Bot',
      owners: [{ value: ada, display: 'forged', type: 'Group' }, { value: team }],
      protocols: [{ type: 'A2A', specificationUrl: 'https://bots.example/card.json' }],
      oAuthClientIdentifiers: [{ issuer: 'https://idp.example', subject: 'bot' }],
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      agentUserName: 'Invoice-Bot',
      active: true,
      owners: [
        { value: ada, type: 'User', display: 'Ada' },
        { value: team, type: 'Group', display: 'Team' },
      ],
      meta: { resourceType: 'Agent' },
    })
    expect((await scim.get(`/Agents/${made.body.id}`)).body).toEqual(made.body)
    const twin = await post({ agentUserName: 'INVOICE-bot' })
    expect([twin.status, twin.body['scimType']]).toEqual([409, 'uniqueness'])
    for (const body of [
      {},
      { agentUserName: 'x', owners: [{ value: 'nobody' }] },
      { agentUserName: 'x', parent: { value: 'nobody' } },
    ])
      expect([body, (await post(body)).status]).toEqual([body, 400])
    const filter = encodeURIComponent('agentUserName eq "invoice-bot" and active eq true')
    expect((await scim.get(`/Agents?filter=${filter}`)).body['totalResults']).toBe(1)
  })

  test('DP-54 the name of the older draft is taken, and never shown', async () => {
    const made = await post({ name: 'Old Bot', active: false })
    expect(made.body).toMatchObject({ agentUserName: 'Old Bot', active: false })
    expect(made.body).not.toHaveProperty('name')
    const both = await post({ name: 'Other', agentUserName: 'New Bot' })
    expect(both.body['agentUserName']).toBe('New Bot')
  })

  test('DP-54 parents form no circle, also by PATCH', async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const parent = ids.at(-1)
      const made = await post({
        agentUserName: name,
        ...(parent !== undefined && { parent: { value: parent } }),
      })
      ids.push(made.body.id)
    }
    const under = async (id: string, parent: string) => {
      const value = { value: parent }
      const Operations = [{ op: 'replace', path: 'parent', value }]
      return scim.patch(`/Agents/${id}`, Operations)
    }
    const [a = '', b = '', c = ''] = ids
    for (const [id, parent] of [
      [a, c],
      [a, a],
      [b, c],
    ] as const) {
      const { status, body } = await under(id, parent)
      expect([status, body['scimType']]).toEqual([400, 'invalidValue'])
    }
    expect((await under(c, a)).status).toBe(200)
  })

  test('DP-54 discovery names the draft, only where there are agents', async () => {
    const config = await scim.get('/ServiceProviderConfig')
    expect(config.body['agentExtension']).toEqual({
      supported: true,
      agentsSupported: true,
      agenticApplicationsSupported: false,
    })
    const type = await scim.get('/ResourceTypes/Agent')
    expect(type.body['description']).toContain('draft-wzdk-scim-agent-resource-00')
    const plain = createScim({ store: createMemoryScimStore() })
    expect((await plain.get('/ServiceProviderConfig')).body).not.toHaveProperty('agentExtension')
  })
})
