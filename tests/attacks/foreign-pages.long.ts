import { expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'

test('AB-67 without credentials, a page of another site reaches no admin API of provisioning', () =>
  withService(
    {
      SERVICE_AUTO_LOGIN: 'true',
      SERVICE_SKIP_AUTH_AUTO_LOGIN: 'true',
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: 'a-static-token',
      SCIM_CONNECTIONS: 'true',
      SCIM_WEBHOOK_KEY: 'a key of at least thirty-two characters',
    },
    async (service) => {
      for (const [method, path, body] of [
        ['POST', '/api/v1/scim/connections', '{"name":"c","provider":"other"}'],
        ['POST', '/api/v1/scim/webhooks', '{"url":"https://receiver.example/hook"}'],
        ['GET', '/api/v1/scim/directory/users', undefined],
      ] as const) {
        const send = async (headers: Record<string, string>): Promise<number> => {
          // Browsers send this type without asking first.
          const type: Record<string, string> =
            body === undefined ? {} : { 'content-type': 'text/plain' }
          return (
            await service.call(method, path, { key: null, headers: { ...type, ...headers }, body })
          ).status
        }
        const foreign = { origin: 'https://page.example', 'sec-fetch-site': 'cross-site' }
        expect([path, await send(foreign)]).toEqual([path, 401])
        expect([path, await send({ 'sec-fetch-site': 'same-site' })]).toEqual([path, 401])
        expect([path, await send({ 'sec-fetch-site': 'same-origin' })]).not.toEqual([path, 401])
        expect([path, await send({})]).not.toEqual([path, 401])
      }
    },
  ))
