import { createScimConnections } from '@x/scim-core/connections'
import { createScimService } from '@x/scim-core'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createMetrics, prometheusHandler } from '@x/scim-core/metrics'
import { createScimClient } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { BASE } from './support.ts'

function setUp(metricTenants?: number) {
  const metrics = createMetrics()
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
  })
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: connections.auth(),
    bulk: true,
    metrics,
    ...(metricTenants === undefined ? {} : { metricTenants }),
  })
  const clientOf = async (tenant: string, provider: 'entra' | 'okta' | 'other') => {
    const { token } = await connections.create({ tenant, name: tenant, provider })
    return createScimClient(service.handle, { token })
  }
  const lines = async (name: string): Promise<string[]> => {
    const answer = await prometheusHandler(metrics)(new Request('http://host.example/metrics'))
    return (await answer.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  }
  return { service, clientOf, lines }
}

describe('OP-8 SCIM operations', () => {
  test('count by provider of the connection, Bulk included; in process and refused as other', async () => {
    const { service, clientOf, lines } = setUp()
    const entra = await clientOf('acme', 'entra')
    const user = { userName: 'ada@host.example' }
    await entra.post('/Users', user)
    await entra.post('/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'b', data: user }],
    })
    await (await clientOf('other', 'okta')).get('/Users')
    await service.users.create('acme', { userName: 'bob@host.example' })
    await createScimClient(service.handle, { token: 'wrong' }).get('/Users')
    const counted = await lines('scim_operations_total')
    const has = (provider: string, operation: string, status: string): boolean =>
      counted.includes(
        `scim_operations_total{operation="${operation}",resource="User",provider="${provider}",status="${status}"} 1`,
      )
    expect(has('entra', 'create', '2xx')).toBe(true)
    expect(has('entra', 'create', '4xx')).toBe(true)
    expect(has('okta', 'list', '2xx')).toBe(true)
    expect(has('other', 'create', '2xx')).toBe(true)
    expect(has('other', 'list', '4xx')).toBe(true)
    expect(await lines('scim_tenant_operations_total')).toEqual([])
  })

  test('tenants are labels only on request, and at most as many as allowed', async () => {
    const { clientOf, lines } = setUp(2)
    for (let n = 0; n < 20; n += 1) {
      const client = await clientOf(`tenant-${n}`, 'other')
      await client.get('/Users')
      await client.get('/Users/2f3a9c1e-0000-4000-8000-00000000abcd')
    }
    expect((await lines('scim_tenant_operations_total')).toSorted()).toEqual([
      'scim_tenant_operations_total{tenant="other",status="2xx"} 18',
      'scim_tenant_operations_total{tenant="other",status="4xx"} 18',
      'scim_tenant_operations_total{tenant="tenant-0",status="2xx"} 1',
      'scim_tenant_operations_total{tenant="tenant-0",status="4xx"} 1',
      'scim_tenant_operations_total{tenant="tenant-1",status="2xx"} 1',
      'scim_tenant_operations_total{tenant="tenant-1",status="4xx"} 1',
    ])
  })

  test('an invalid number of tenants is refused by name', () => {
    expect(() => setUp(-1)).toThrow('metricTenants')
    expect(() => setUp(1001)).toThrow('metricTenants')
  })
})
