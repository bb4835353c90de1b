// Runs each night (.ci/night).
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { graphOf } from '../journeys/flows.ts'
import type { Service } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'

const SECRET = 'sk-of-the-owner-0001'
const running = useService({
  SERVICE_NEW_USER_IS_ACTIVE: 'true',
  SERVICE_MAX_VERTEX_BUILDS_TO_KEEP: '4',
})

interface Graph {
  nodes: { data: { node: { template: Record<string, object> } } }[]
}

test('AB-53: public flows and shared components do not reveal secrets to strangers', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const data = await echoGraph()
    Object.assign(data.nodes[0]?.data.node.template ?? {}, {
      token: { name: 'token', type: 'str', password: true, value: SECRET },
      headers: { name: 'headers', type: 'table', value: [{ key: 'x-key', value: SECRET }] },
      database: { name: 'database', type: 'str', value: `postgres://u:${SECRET}@h/db` },
      result: { name: 'result', type: 'str', value: `it is ${SECRET}` },
    })
    const flow = await createPublicFlow(service, data)
    const path = `/api/v1/flows/public_flow/${flow}`
    const seen = await service.call('GET', path, { key: null })
    expect(seen.status).toBe(200)
    expect(seen.text).not.toContain(SECRET)
    expect(seen.text).toContain('x-key')
    expect((await service.call('GET', `/api/v1/flows/${flow}`)).text).toContain(SECRET)

    const other = await createUser(service)
    for (const key of [service.key, other])
      await service.call('POST', '/api/v1/api_key/store', { key, body: { api_key: 'any' } })
    const shared = await service.call('POST', '/api/v1/store/components/', {
      body: {
        name: 'with secrets',
        description: null,
        data,
        tags: null,
        is_component: false,
        private: false,
      },
    })
    const download = `/api/v1/store/components/${(shared.json() as { id: string }).id}`
    const theirs = await service.call('GET', download, { key: other })
    expect(theirs.status).toBe(200)
    expect(theirs.text).not.toContain(SECRET)
    expect((await service.call('GET', download)).text).toContain(SECRET)
  }))

test('AB-54: sessions of the same name are separate for each visitor, flow and owner', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const data = graphOf((flow) => {
      const both = flow.add('CombineText')
      flow.connect(`${flow.add('ChatInput')}.message`, `${both}.text1`)
      flow.connect(`${flow.add('Memory')}.messages_text`, `${both}.text2`)
      flow.connect(`${both}.combined_text`, `${flow.add('ChatOutput')}.input_value`)
    }) as Graph
    const [one, two] = [
      await createPublicFlow(service, data),
      await createPublicFlow(service, data),
    ]
    const build = (flow: string, client: string | null, text: string) =>
      service.call('POST', `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`, {
        key: null,
        headers: client === null ? {} : { cookie: `client_id=${client}` },
        body: { inputs: { input_value: text, session: 'same' } },
      })
    const nobody = await build(one, null, 'x')
    expect([nobody.status, nobody.json()]).toEqual([400, { detail: 'No client_id cookie found' }])

    await service.call('POST', `/api/v1/run/${one}`, {
      body: { input_value: 'from the owner', session_id: 'same' },
    })
    expect((await build(one, 'ada', 'from ada')).status).toBe(200)
    const again = await build(one, 'ada', 'once more')
    expect(again.text).toContain('from ada')
    expect(again.text).not.toContain('from the owner')
    const others = [
      await build(one, 'bob', 'it is bob'),
      await build(two, 'ada', 'another flow'),
      await service.call('POST', `/api/v1/run/${one}`, {
        body: { input_value: 'the owner again', session_id: 'same' },
      }),
    ]
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const { text } of others) expect(text).not.toContain('from ada')
    const own = await service.call('GET', '/api/v1/monitor/messages?session_id=same')
    expect(own.text).toContain('from the owner')
    expect(own.text).not.toContain('from ada')
  }))

test('AB-74: builds of visitors do not evict records of users', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const flow = await createPublicFlow(service, await echoGraph())
    const owned = `/api/v1/build/${flow}/flow?event_delivery=direct`
    expect((await service.call('POST', owned, { body: {} })).status).toBe(200)
    const recorded = async (): Promise<string[]> => {
      const builds = await service.call('GET', `/api/v1/monitor/builds?flow_id=${flow}`)
      return Object.keys((builds.json() as { vertex_builds: object }).vertex_builds)
    }
    const before = await recorded()
    expect(before).toHaveLength(3)
    for (let visitor = 0; visitor < 5; visitor += 1) {
      const built = await service.call(
        'POST',
        `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`,
        { key: null, headers: { cookie: `client_id=many-${visitor}` }, body: {} },
      )
      expect([built.status, built.text.includes('"end"')]).toEqual([200, true])
    }
    expect(await recorded()).toEqual(before)
  }))

async function echoGraph(): Promise<Graph> {
  const file = new URL('../../examples/reference-server/flows/echo.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { data: Graph }).data
}

async function createPublicFlow(service: Service, data: Graph): Promise<string> {
  const body = { name: `public ${crypto.randomUUID()}`, access_type: 'PUBLIC', data }
  const made = await service.call('POST', '/api/v1/flows/', { body })
  return (made.json() as { id: string }).id
}

/** A user of its own; gives its API key. */
async function createUser(service: Service): Promise<string> {
  const [username, password] = [`user-${crypto.randomUUID()}`, 'a password']
  await service.call('POST', '/api/v1/users/', { body: { username, password } })
  const signedIn = await service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const { access_token: token } = signedIn.json() as { access_token: string }
  const made = await service.call('POST', '/api/v1/api_key/', {
    key: null,
    headers: { authorization: `Bearer ${token}` },
    body: { name: 'mine' },
  })
  return (made.json() as { api_key: string }).api_key
}
