import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createScryptHasher } from '@x/flow-service/node'
import { expect, test } from 'vitest'
import {
  expressMount,
  fastifyMount,
  honoMount,
  nextMount,
  nodeMount,
} from '../../packages/http-adapters/test/mounts.ts'
import { echoGraph, eventsOf } from './flows.ts'

test.each([nodeMount, expressMount, fastifyMount, honoMount, nextMount])(
  'sign-in, storing a flow, a run and a streamed build work over every mount: $name',
  async (mount) => {
    const engine = createFlowService({
      store: createMemoryFlowStore(),
      files: createMemoryBlobStore(),
      passwords: createScryptHasher(),
      secretKey: 'a secret key of the journeys, long enough',
    })
    const password = 'a password of sixteen'
    const superuser = { username: 'admin', password, isActive: true, isSuperuser: true }
    await engine.services.users.create(superuser)
    const server = await mount.start((request) => engine.handler(request))
    try {
      const base = `http://127.0.0.1:${server.port}/api/v1`
      const signedIn = await fetch(`${base}/login`, {
        method: 'POST',
        body: new URLSearchParams({ username: 'admin', password }),
      })
      expect(signedIn.headers.getSetCookie().length).toBeGreaterThan(1)
      const { access_token: token } = (await signedIn.json()) as { access_token: string }
      const post = async (path: string, body: unknown) =>
        await fetch(`${base}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const made = await post('/flows/', { name: 'Mounted', data: echoGraph() })
      expect(made.status).toBe(201)
      const { id } = (await made.json()) as { id: string }
      const { api_key: key } = (await (await post('/api_key/', { name: 'k' })).json()) as {
        api_key: string
      }
      const answer = await fetch(`${base}/run/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ input_value: 'hello' }),
      })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('hello')])
      const built = await post(`/build/${id}/flow?event_delivery=direct`, {
        inputs: { input_value: 'hello' },
      })
      const events = eventsOf({ text: await built.text() })
      expect([events[0]?.event, events.at(-1)?.event]).toEqual(['vertices_sorted', 'end'])
    } finally {
      await server.stop()
      await engine.close()
    }
  },
)
