import { expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'

const TOKEN = 'a-token-of-the-directory-0123456789'

test('OP-16 SCIM and surface limits are read from the environment', () =>
  withService(
    {
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: TOKEN,
      SCIM_BULK: 'true',
      SCIM_MAX_BODY_KIB: '1',
      SCIM_MAX_BULK_OPERATIONS: '2',
      SCIM_MAX_FILTER_TERMS: '1',
      SERVICE_SURFACE_MAX_BODY_KIB: '1',
    },
    async (service) => {
      const headers = { authorization: `Bearer ${TOKEN}` }
      const scim = (method: string, path: string, body?: object) =>
        service.call(method, `/api/v1/scim/v2${path}`, {
          key: null,
          headers,
          ...(body === undefined ? {} : { body }),
        })
      const user = { userName: 'ada@host.example', title: 'x'.repeat(1024) }
      const schema = 'urn:ietf:params:scim:schemas:core:2.0:User'
      const large = await scim('POST', '/Users', { schemas: [schema], ...user })
      expect([large.status, large.text]).toEqual([413, expect.stringContaining('1024')])
      const operation = { method: 'DELETE', path: '/Users/2f3a9c1e-0000-4000-8000-00000000abcd' }
      const bulk = await scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [operation, operation, operation],
      })
      expect(bulk.status).toBe(413)
      const filter = encodeURIComponent('userName eq "a" or userName eq "b"')
      expect((await scim('GET', `/Users?filter=${filter}`)).status).toBe(400)
      const config = (await scim('GET', '/ServiceProviderConfig')).json()
      expect(config).toMatchObject({ bulk: { supported: true, maxOperations: 2 } })
      const event = await service.call('POST', '/surfaces/demo/events', {
        body: { userAction: { name: 'x'.repeat(1024) } },
      })
      expect(event.status).toBe(413)
    },
  ))
