import { builtinComponents } from '@x/flow-components'
import { createRegistry, type FlowJson, type NodeDetails } from '@x/flow-engine'
import { describe, expect, test } from 'vitest'
import { flowOf, importFlow, messageOf, nodeOf, sharedService } from './flow-calls.ts'
import { newPerson } from './people.ts'

const service = sharedService({ SERVICE_MAX_FLOW_VERSIONS: '4' })
const catalogue = createRegistry(builtinComponents).catalogue()
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

function catalogued(type: string): NodeDetails {
  const found = Object.values(catalogue).find((category) => Object.hasOwn(category, type))?.[type]
  if (found === undefined) throw new Error(`The catalogue has no ${type}`)
  return structuredClone(found)
}

/** A flow that answers with a text of its own. */
function saying(name: string, text: string, more: Readonly<Record<string, object>> = {}): FlowJson {
  const say = catalogued('TextInput')
  say.template['input_value'] = { ...say.template['input_value'], value: text }
  Object.assign(say.template, more)
  return flowOf(
    name,
    {
      say: nodeOf('TextInput-t1', 'TextInput', say),
      out: nodeOf('ChatOutput-o1', 'ChatOutput', catalogued('ChatOutput')),
    },
    [['say.text', 'out.input_value']],
  )
}

interface Version {
  readonly id: string
  readonly version_number: number
  readonly version_tag: string
  readonly description?: string | null
  readonly data?: FlowJson['data']
}

const versionsOf = (id: string): string => `/api/v1/flows/${id}/versions`

async function snapshot(id: string, body?: object): Promise<Version> {
  const made = await service().call('POST', `${versionsOf(id)}/`, { body })
  expect(made.status).toBe(201)
  return made.json() as Version
}

async function listed(id: string): Promise<readonly Version[]> {
  const answer = await service().call('GET', versionsOf(id))
  return (answer.json() as { entries: Version[] }).entries
}

async function save(id: string, flow: FlowJson): Promise<void> {
  const saved = await service().call('PATCH', `/api/v1/flows/${id}`, { body: { data: flow.data } })
  expect(saved.status).toBe(200)
}

const answerOf = async (id: string, query = ''): Promise<string | undefined> =>
  messageOf(await service().call('POST', `/api/v1/run/${id}${query}`, { body: {} }))

describe('an author keeps versions of a flow', () => {
  test('DR-60: saves a version, changes the flow, compares both, and restores it after a restart', async () => {
    const id = await importFlow(service(), saying('Versions', 'first'))
    const one = await snapshot(id, { description: 'as it was agreed' })
    expect(one).toEqual({
      id: one.id,
      flow_id: id,
      user_id: expect.any(String) as string,
      version_number: 1,
      version_tag: 'v1',
      description: 'as it was agreed',
      created_at: expect.stringMatching(ISO) as string,
    })
    await save(id, saying('Versions', 'second'))
    const two = await snapshot(id)
    expect([two.version_tag, two.description]).toEqual(['v2', null])
    expect(await answerOf(id)).toBe('second')

    const compared = await service().call('GET', `${versionsOf(id)}/${one.id}/diff/${two.id}`)
    expect(compared.json()).toEqual({
      nodes: {
        added: [],
        removed: [],
        changed: [
          { id: 'TextInput-t1', fields: [{ field: 'input_value', from: 'first', to: 'second' }] },
        ],
      },
      edges: { added: [], removed: [] },
    })

    await save(id, saying('Versions', 'third, not kept'))
    await service().restart({ signal: 'SIGKILL' })
    const back = await service().call('POST', `${versionsOf(id)}/${one.id}/activate`)
    expect([back.status, (back.json() as { id: string }).id]).toEqual([200, id])
    expect(await answerOf(id)).toBe('first')
    const entries = await listed(id)
    expect(entries.map((entry) => [entry.version_tag, entry.description])).toEqual([
      ['v3', 'Auto-saved before activating v1'],
      ['v2', undefined],
      ['v1', 'as it was agreed'],
    ])
    expect(await answerOf(id, '?version=v3')).toBe('third, not kept')
    const quiet = await service().call(
      'POST',
      `${versionsOf(id)}/${two.id}/activate/?save_draft=false`,
    )
    expect([quiet.status, (await listed(id)).length]).toEqual([200, 3])
    expect(await answerOf(id)).toBe('second')
  })

  test('DR-60: reads a version with its graph; passwords are hidden but restored', async () => {
    const password = { type: 'str', name: 'token', password: true, value: 'sk-hidden', show: true }
    const id = await importFlow(service(), saying('Passwords', 'with a key', { token: password }))
    const { id: version } = await snapshot(id)
    const read = await service().call('GET', `${versionsOf(id)}/${version}`)
    expect(read.text).not.toContain('sk-hidden')
    const { data } = read.json() as Version
    expect(data?.nodes?.[0]?.data.node.template['token']).toMatchObject({ value: '' })
    await save(id, saying('Passwords', 'without'))
    await service().call('POST', `${versionsOf(id)}/${version}/activate`)
    const flow = await service().call('GET', `/api/v1/flows/${id}`)
    expect(flow.text).toContain('sk-hidden')
  })

  test('DR-60: version numbers are never reused; the oldest versions beyond the limit are deleted', async () => {
    const id = await importFlow(service(), saying('Many versions', 'same'))
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => snapshot(id)))
    expect(made.map((one) => one.version_number).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6,
    ])
    const answer = await service().call('GET', `${versionsOf(id)}/?limit=2&offset=1`)
    expect(answer.json()).toMatchObject({
      entries: [{ version_number: 5 }, { version_number: 4 }],
      max_entries: 4,
    })
    expect((await listed(id)).map((one) => one.version_number)).toEqual([6, 5, 4, 3])
    const last = (await listed(id))[0]?.id ?? ''
    const removed = await service().call('DELETE', `${versionsOf(id)}/${last}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await service().call('DELETE', `${versionsOf(id)}/${last}`)).status).toBe(404)
    expect((await snapshot(id)).version_number).toBe(7)
    const gone = await service().call('POST', `/api/v1/run/${id}?version=1`, { body: {} })
    expect([gone.status, gone.json()]).toEqual([404, { detail: 'Version entry not found' }])
  })

  test('DR-60: errors name the problem; other users see no versions; deleting a flow deletes them', async () => {
    const id = await importFlow(service(), saying('Mine', 'mine'))
    const { id: version } = await snapshot(id)
    const long = await service().call('POST', versionsOf(id), {
      body: { description: 'x'.repeat(501) },
    })
    expect([long.status, long.text]).toEqual([
      422,
      expect.stringContaining('description') as string,
    ])
    expect((await service().call('GET', `${versionsOf(id)}/?limit=101`)).status).toBe(422)
    expect((await service().call('GET', `${versionsOf(id)}/no-uuid`)).status).toBe(422)

    const { key } = await newPerson(service(), 'stranger')
    const calls = [
      ['POST', ''],
      ['GET', '/'],
      ['GET', `/${version}`],
      ['POST', `/${version}/activate`],
      ['DELETE', `/${version}`],
      ['GET', `/${version}/diff/${version}`],
    ] as const
    for (const [method, path] of calls) {
      const foreign = await service().call(method, versionsOf(id) + path, { key })
      expect([path, foreign.status, foreign.json()]).toEqual([
        path,
        404,
        { detail: 'Flow not found' },
      ])
      const nobody = await service().call(method, versionsOf(id) + path, { key: null })
      expect([path, nobody.status]).toEqual([path, 403])
    }
    const other = '00000000-0000-4000-8000-000000000000'
    const unknown = await service().call('GET', `${versionsOf(id)}/${other}`)
    expect([unknown.status, unknown.json()]).toEqual([404, { detail: 'Version entry not found' }])

    const empty = await service().call('POST', '/api/v1/flows/', { body: { name: 'No graph' } })
    const { id: emptyId } = empty.json() as { id: string }
    const { id: nothing } = await snapshot(emptyId)
    const refused = await service().call('POST', `${versionsOf(emptyId)}/${nothing}/activate`)
    expect([refused.status, refused.json()]).toEqual([
      400,
      { detail: 'Cannot activate a version with no data' },
    ])

    await service().call('DELETE', `/api/v1/flows/${id}`)
    const after = await service().call('GET', `${versionsOf(id)}/`)
    expect([after.status, after.json()]).toEqual([404, { detail: 'Flow not found' }])
  })
})

describe('a program runs the version it was tested with', () => {
  test('DR-63: selects a version by number, tag or id in runs, streams, advanced runs and builds', async () => {
    const id = await importFlow(service(), saying('Pinned', 'first'))
    const one = await snapshot(id)
    await save(id, saying('Pinned', 'second'))
    for (const name of ['1', 'v1', one.id])
      expect(await answerOf(id, `?version=${name}`)).toBe('first')
    expect(await answerOf(id, '?version=')).toBe('second')
    const streamed = await service().call('POST', `/api/v1/run/${id}?stream=true&version=1`, {
      body: {},
    })
    expect(streamed.text).toContain('first')
    const advanced = await service().call('POST', `/api/v1/run/advanced/${id}?version=1`, {
      body: { inputs: [] },
    })
    expect(advanced.text).toContain('first')

    const built = await service().call('POST', `/api/v1/build/${id}/flow?version=1`, { body: {} })
    const { job_id: job } = built.json() as { job_id: string }
    // The job has its own copy: the version may go.
    await service().call('DELETE', `${versionsOf(id)}/${one.id}`)
    const events = await service().call('GET', `/api/v1/build/${job}/events`)
    expect(events.text).toContain('first')
    expect(events.text).not.toContain('second')
  })

  test('DR-63: an unknown version is always a 404; a version together with a graph is a 400', async () => {
    const id = await importFlow(service(), saying('Unpinned', 'here'))
    await snapshot(id)
    for (const path of [`run/${id}`, `run/advanced/${id}`, `build/${id}/flow`, `webhook/${id}`]) {
      for (const name of ['9', 'v9', 'nonsense', '00000000-0000-4000-8000-000000000000']) {
        const call = `/api/v1/${path}?version=${name}`
        const answer = await service().call('POST', call, { body: { any: 1 } })
        expect([call, answer.status, answer.json()]).toEqual([
          call,
          404,
          { detail: 'Version entry not found' },
        ])
      }
    }
    const both = await service().call('POST', `/api/v1/build/${id}/flow?version=1`, {
      body: { data: saying('x', 'y').data },
    })
    expect([both.status, both.text]).toEqual([400, expect.stringContaining('version') as string])
  })

  test('DR-63: a webhook runs the version that its address names', async () => {
    const hooked = (speaker: string): FlowJson => {
      const out = catalogued('ChatOutput')
      out.template['sender_name'] = { ...out.template['sender_name'], value: speaker }
      return flowOf(
        'Hooked',
        {
          hook: nodeOf('Webhook-w1', 'Webhook', catalogued('Webhook')),
          out: nodeOf('ChatOutput-o1', 'ChatOutput', out),
        },
        [['hook.output_data', 'out.input_value']],
      )
    }
    const id = await importFlow(service(), hooked('first'))
    await snapshot(id)
    await save(id, hooked('second'))
    const called = await service().call('POST', `/api/v1/webhook/${id}?version=v1`, {
      body: { event: 'x' },
    })
    expect(called.status).toBe(202)
    await expect
      .poll(async () => {
        const answer = await service().call('GET', `/api/v1/monitor/messages?flow_id=${id}`)
        return (answer.json() as { sender_name: string }[]).map((message) => message.sender_name)
      })
      .toEqual(['first'])
  })
})
