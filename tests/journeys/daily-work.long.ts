import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFlow, echoGraph, eventsOf, graphOf, until } from './flows.ts'
import { newPerson } from './people.ts'
import { startService, withService, type Service, type SharedService } from './service.ts'

let model: FakeOpenAi
let shared: SharedService
let service: Service
beforeAll(async () => {
  model = await startFakeOpenAi()
  shared = await startService({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-journey' })
  service = shared.service
})
afterAll(async () => {
  await shared.end()
  await model.close()
})

const agentGraph = (withCalculator = false): unknown =>
  graphOf((flow) => {
    const input = flow.add('ChatInput')
    const agent = flow.add('Agent', { values: { api_key: 'sk-journey' } })
    flow.connect(`${input}.message`, `${agent}.input_value`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
    if (!withCalculator) return
    const calculator = flow.add('CalculatorComponent', { toolMode: true })
    flow.connect(`${calculator}.component_as_tool`, `${agent}.tools`)
  })

const run = (id: string, body: object, key?: string) =>
  service.call('POST', `/api/v1/run/${id}`, { body, ...(key === undefined ? {} : { key }) })

test('a flow exported on one server and imported on another answers there', async () => {
  const made = await createFlow(service, { name: 'Travels', data: echoGraph() })
  const file = await service.call('POST', '/api/v1/flows/download/', { body: [made.id] })
  await withService({}, async (other) => {
    const form = new FormData()
    form.append('file', new Blob([file.text], { type: 'application/json' }), 'Travels.json')
    const imported = await other.call('POST', '/api/v1/flows/upload/', { body: form })
    expect(imported.status).toBe(201)
    const [flow] = imported.json() as { id: string; name: string }[]
    expect([flow?.name, flow?.id === made.id]).toEqual(['Travels', false])
    const path = `/api/v1/run/${flow?.id ?? ''}`
    const answer = await other.call('POST', path, { body: { input_value: 'far away' } })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('far away')])
  })
})

test('flows are renamed, duplicated and moved; each copy runs; deleting a project deletes its flows', async () => {
  const flow = await createFlow(service, { name: 'Draft', data: echoGraph() })
  const renamed = await service.call('PATCH', `/api/v1/flows/${flow.id}`, {
    body: { name: 'Final' },
  })
  expect(renamed.json()).toMatchObject({ id: flow.id, name: 'Final' })
  const copy = await createFlow(service, { name: 'Final', data: echoGraph() })
  expect(copy.name).toBe('Final (1)')
  const project = await service.call('POST', '/api/v1/projects/', {
    body: { name: 'Moved', flows_list: [flow.id, copy.id], components_list: [] },
  })
  const { id } = project.json() as { id: string }
  const page = await service.call('GET', `/api/v1/projects/${id}`)
  expect(page.text).toContain('Final (1)')
  for (const one of [flow, copy])
    expect((await run(one.id, { input_value: 'still' })).text).toContain('still')
  expect((await service.call('DELETE', `/api/v1/projects/${id}`)).status).toBe(204)
  expect((await run(copy.id, { input_value: 'gone' })).status).toBe(404)
})

test('revoking a key in use lets the running answer finish and refuses the next call', async () => {
  const ada = await newPerson(service, 'ada')
  const flow = await createFlow(service, { data: agentGraph() }, ada.key)
  model.reply({ text: 'late but whole', delayMs: 1_500 })
  const running = run(flow.id, { input_value: 'go' }, ada.key)
  await until(
    async () => model.requests.length,
    (count) => count > 0,
  )
  const bearer = { key: null, headers: { authorization: `Bearer ${ada.token}` } }
  const keys = await service.call('GET', '/api/v1/api_key/', bearer)
  const [key] = (keys.json() as { api_keys: { id: string }[] }).api_keys
  expect((await service.call('DELETE', `/api/v1/api_key/${key?.id ?? ''}`, bearer)).status).toBe(
    200,
  )
  expect((await run(flow.id, { input_value: 'again' }, ada.key)).status).toBe(403)
  const answer = await running
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('late but whole')])
})

test('an agent remembers earlier turns of its own session only', async () => {
  const flow = await createFlow(service, { name: 'Memory', data: agentGraph() })
  const ask = async (text: string, session: string): Promise<string> => {
    model.reply(`answer to ${text}`)
    await run(flow.id, { input_value: text, session_id: session })
    return JSON.stringify((model.requests.at(-1) as { messages: unknown[] }).messages)
  }
  await ask('I am Ada', 'one')
  expect(await ask('Who am I?', 'one')).toContain('answer to I am Ada')
  expect(await ask('And I?', 'two')).not.toContain('Ada')
  await service.call('DELETE', '/api/v1/monitor/messages/session/one')
  expect(await ask('Still?', 'one')).not.toContain('Ada')
})

test('FE-33 a frozen result survives a restart, until it is unfrozen or its flow is deleted', async () => {
  const graph = (isFrozen: boolean): unknown =>
    graphOf((flow) => {
      const input = flow.add('ChatInput')
      const values = { api_key: 'OPENAI_API_KEY' }
      const ask = flow.add('LanguageModelComponent', { id: 'Ask-1', values, frozen: isFrozen })
      flow.connect(`${input}.message`, `${ask}.input_value`)
      flow.connect(`${ask}.text_output`, `${flow.add('ChatOutput')}.input_value`)
    })
  const { id } = await createFlow(service, { name: 'Kept', data: graph(false) })
  const freeze = (isFrozen: boolean) =>
    service.call('PATCH', `/api/v1/flows/${id}`, { body: { data: graph(isFrozen) } })
  const build = async (text: string): Promise<string> => {
    const path = `/api/v1/build/${id}/flow?event_delivery=direct`
    const built = await service.call('POST', path, { body: { inputs: { input_value: text } } })
    return built.text
  }
  model.reply('the first answer')
  expect(await build('one')).toContain('the first answer')
  await freeze(true)
  const asked = model.requests.length
  expect(await build('two')).toContain('the first answer')
  await service.restart({ signal: 'SIGKILL' })
  expect(await build('three')).toContain('the first answer')
  expect((await run(id, { input_value: 'four' })).text).toContain('the first answer')
  expect(model.requests).toHaveLength(asked)

  await freeze(false)
  model.reply('the second answer')
  expect(await build('five')).toContain('the second answer')
  await freeze(true)
  await service.restart({ signal: 'SIGKILL' })
  model.reply('the third answer')
  expect(await build('six')).not.toContain('the first answer')
  const folder = join(service.folder, 'files', 'frozen')
  expect(await readdir(folder)).toContain(id)
  await service.call('DELETE', `/api/v1/flows/${id}`)
  expect(await readdir(folder)).not.toContain(id)
})

test('an agent calls a tool, and its steps are included in the message', async () => {
  const flow = await createFlow(service, { name: 'Tool', data: agentGraph(true) })
  const offered = 'evaluate_expression'
  model.reply({ toolCalls: [{ name: offered, args: { expression: '6*7' } }] }, 'It is 42')
  const built = await service.call('POST', `/api/v1/build/${flow.id}/flow?event_delivery=direct`, {
    body: { inputs: { input_value: 'six times seven?' } },
  })
  const { messages } = model.requests.at(-1) as { messages: { role: string; content: string }[] }
  expect(messages.find(({ role }) => role === 'tool')?.content).toContain('42')
  const shown = eventsOf(built).filter(({ event }) => event === 'add_message')
  const steps = JSON.stringify(shown.map(({ data }) => data['content_blocks']))
  expect(steps).toContain('"type":"tool_use"')
  expect(steps).toContain(`"name":"${offered}"`)
  expect(built.text).toContain('It is 42')
})

test('the monitor lists messages, builds and transactions of each run', async () => {
  const flow = await createFlow(service, { name: 'Watched', data: echoGraph() })
  await run(flow.id, { input_value: 'first', session_id: 's1' })
  await service.call('POST', `/api/v1/build/${flow.id}/flow?event_delivery=direct`, {
    body: { inputs: { input_value: 'second', session: 's2' } },
  })
  const read = async (path: string) =>
    (await service.call('GET', `/api/v1/monitor/${path}flow_id=${flow.id}`)).json()
  const sessions = (await read('messages/sessions?')) as string[]
  expect(sessions.toSorted()).toEqual(['s1', 's2'])
  const messages = (await read('messages?session_id=s2&')) as { text: string; sender: string }[]
  expect(messages.map(({ sender, text }) => [sender, text])).toEqual([
    ['User', 'second'],
    ['Machine', 'second'],
  ])
  const page = await until(
    async () => (await read('transactions?')) as { total: number },
    ({ total }) => total === 4,
  )
  expect(page.total).toBe(4)
  const { vertex_builds: builds } = (await read('builds?')) as { vertex_builds: object }
  expect(Object.keys(builds)).toHaveLength(2)
})

test('a restart during a build sends its reader an error, and the flow builds again', async () => {
  const flow = await createFlow(service, { name: 'Interrupted', data: agentGraph() })
  model.reply({ text: 'never read', delayMs: 60_000 })
  const asked = model.requests.length
  const started = await service.call('POST', `/api/v1/build/${flow.id}/flow`, {
    body: { inputs: { input_value: 'go' } },
  })
  const { job_id: job } = started.json() as { job_id: string }
  await until(
    async () => model.requests.length,
    (count) => count > asked,
  )
  await service.restart({ signal: 'SIGKILL' })
  const events = eventsOf(await service.call('GET', `/api/v1/build/${job}/events`))
  expect(events.map(({ event }) => event).slice(-2)).toEqual(['error', 'end'])
  model.reply('now')
  expect((await run(flow.id, { input_value: 'again' })).text).toContain('now')
})
