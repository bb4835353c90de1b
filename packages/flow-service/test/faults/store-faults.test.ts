import { describe, expect, test } from 'vitest'
import { createMemoryFlowStore } from '../../src/memory/flow-store.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'
import { failingStore } from './failing-store.ts'

const ECHO = (() => {
  const flow = flowBuilder('echo')
  const input = flow.add('ChatInput')
  const answer = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${answer}.input_value`)
  return (flow.toJSON() as { data: unknown }).data
})()

interface Known {
  readonly flow: string
  readonly project: string
  readonly variable: string
  readonly key: string
  readonly user: string
}

type Operation = readonly [method: string, path: (known: Known) => string, body?: unknown]

const operations: Readonly<Record<string, Operation>> = {
  'add a user': ['POST', () => '/api/v1/users/', { username: 'eve', password: 'a-password-1' }],
  'change a user': ['PATCH', ({ user }) => `/api/v1/users/${user}`, { username: 'other' }],
  'delete a user': ['DELETE', ({ user }) => `/api/v1/users/${user}`],
  'reset a password': [
    'PATCH',
    ({ user }) => `/api/v1/users/${user}/reset-password`,
    { password: 'another-1' },
  ],
  'make a key': ['POST', () => '/api/v1/api_key/', { name: 'k' }],
  'delete a key': ['DELETE', ({ key }) => `/api/v1/api_key/${key}`],
  'write a variable': [
    'POST',
    () => '/api/v1/variables/',
    { name: 'V2', value: 'x', type: 'Generic', default_fields: [] },
  ],
  'delete a variable': ['DELETE', ({ variable }) => `/api/v1/variables/${variable}`],
  'create a flow': ['POST', () => '/api/v1/flows/', { name: 'new', data: ECHO }],
  'change a flow': ['PATCH', ({ flow }) => `/api/v1/flows/${flow}`, { name: 'renamed' }],
  'delete a flow': ['DELETE', ({ flow }) => `/api/v1/flows/${flow}`],
  'create a project': [
    'POST',
    () => '/api/v1/projects/',
    { name: 'p2', components_list: [], flows_list: [] },
  ],
  'delete a project': ['DELETE', ({ project }) => `/api/v1/projects/${project}`],
  'list flows': ['GET', () => '/api/v1/flows/'],
  'read a project': ['GET', ({ project }) => `/api/v1/projects/${project}`],
}

async function service() {
  const inner = createMemoryFlowStore()
  const failing = failingStore(inner)
  const engine = await createTestEngine({ store: failing.store, onError: () => undefined })
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await engine.handler(
      new Request(`http://host${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { user: { userId: engine.adminId, isSuperuser: true } },
    )
    const text = await response.text()
    const json = text.startsWith('{') ? (JSON.parse(text) as { readonly id?: string }) : {}
    return { status: response.status, text, id: json.id ?? '' }
  }
  const made = async (path: string, body: unknown): Promise<string> =>
    (await call('POST', path, body)).id
  const user = await made('/api/v1/users/', { username: 'bob', password: 'a-password-1' })
  const project = await made('/api/v1/projects/', {
    name: 'p',
    components_list: [],
    flows_list: [],
  })
  const known: Known = {
    user,
    project,
    flow: await made('/api/v1/flows/', { name: 'f', data: ECHO, folder_id: project }),
    variable: await made('/api/v1/variables/', {
      name: 'V',
      value: 'x',
      type: 'Generic',
      default_fields: [],
    }),
    key: await made('/api/v1/api_key/', { name: 'first' }),
  }
  /** Everything that the operations write, without the times of reading. */
  const content = async (): Promise<string> => {
    const { items: users } = await inner.users.list({ offset: 0, limit: null })
    const rows = await Promise.all(
      users.map(async ({ id }) => [
        await inner.projects.list(id),
        await inner.variables.list(id),
        (await inner.apiKeys.list(id)).map(({ hash }) => hash),
        await inner.flows.list({ userId: id, order: 'created', data: 'all' }),
      ]),
    )
    return JSON.stringify([users, rows])
  }
  return { engine, failing, call, known, content }
}

describe('OP-20 a store whose calls fail one by one', () => {
  test.each(Object.entries(operations))(
    '%s: answers 503, writes nothing, and works afterwards',
    async (_name, [method, path, body]) => {
      const { engine, failing, call, known, content } = await service()
      const address = path(known).replace(/users\/[^/]+\/reset/, `users/${engine.adminId}/reset`)
      const refused: object[] = []
      let last = { status: 500, failed: true }
      // What follows a committed change may fail without the caller: then the answer is its success.
      for (let number = 1; last.status >= 300 && number < 60; number += 1) {
        const before = await content()
        failing.failAt(number)
        const { status, text } = await call(method, address, body)
        last = { status, failed: failing.hasFailed() }
        failing.failAt(0)
        const isUntouched = (await content()) === before
        if (status >= 300) refused.push({ status, text, isUntouched })
      }
      expect(last.status).toBeLessThan(300)
      expect(last.failed && method === 'GET').toBe(false)
      expect(refused.length).toBeGreaterThan(0)
      const answer = { status: 503, text: '{"detail":"Service Unavailable"}', isUntouched: true }
      expect(refused).toEqual(refused.map(() => answer))
      await engine.close()
    },
  )
})

describe('OP-20 a store with hanging or slow calls', () => {
  test.each(Object.entries(operations))(
    '%s: other requests are answered while a call hangs; when it fails, nothing is written',
    async (_name, [method, path, body]) => {
      const { engine, failing, call, known, content } = await service()
      const address = path(known).replace(/users\/[^/]+\/reset/, `users/${engine.adminId}/reset`)
      const before = await content()
      failing.hangAt(1)
      const waiting = call(method, address, body)
      while (!failing.hasFailed()) await new Promise((resolve) => setImmediate(resolve))
      expect((await call('GET', '/api/v1/projects/')).status).toBe(200)
      failing.release()
      expect(await waiting).toMatchObject({ status: 503, text: '{"detail":"Service Unavailable"}' })
      expect(await content()).toBe(before)
      failing.failAt(0)
      expect((await call(method, address, body)).status).toBeLessThan(300)
      await engine.close()
    },
  )

  test('all operations at once on a slow store are answered without a server error', async () => {
    const { engine, failing, call, known } = await service()
    failing.delay(5)
    const answers = await Promise.all(
      Object.entries(operations).map(async ([name, [method, path, body]]) => {
        const address = path(known).replace(/users\/[^/]+\/reset/, `users/${engine.adminId}/reset`)
        return [name, (await call(method, address, body)).status] as const
      }),
    )
    // What another one has deleted meanwhile is not there.
    expect(answers.filter(([, status]) => status >= 300 && status !== 404)).toEqual([])
    await engine.close()
  })
})
