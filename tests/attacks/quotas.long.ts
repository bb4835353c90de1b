// Runs each night (.ci/night).
import { expect, test, vi } from 'vitest'
import type { Answer, Service } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { addUser, run, saveFlow } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })
const running = useService({
  SERVICE_MAX_STORED_MB_PER_USER: '1',
  SERVICE_MAX_RUNS_PER_DAY_PER_USER: '5',
})

const STORED = 'A user may store 1 MB of files (SERVICE_MAX_STORED_MB_PER_USER). Remove some first.'
const RUNS =
  /Daily limit of 5 runs reached \(SERVICE_MAX_RUNS_PER_DAY_PER_USER\)\. Try again in \d+ s\./

const statuses = (answers: readonly Answer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

function upload(service: Service, key: string, { name = 'a.txt', bytes = 300_000, path = '' }) {
  const body = new FormData()
  body.set('file', new File(['x'.repeat(bytes)], name))
  return service.call('POST', path === '' ? '/api/v2/files' : path, { key, body })
}

const save = (service: Service, key: string): Promise<string> =>
  saveFlow(service, [['ChatInput'], ['ChatOutput', {}, 'message>input_value']], { key })

test('OP-18: the file quota of a user bounds concurrent uploads and appends; deleting a file frees space', async () => {
  const service = running()
  const key = await addUser(service, 'storing')
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => upload(service, key, { name: `f${n}.txt` })),
  )
  expect(statuses(answers)).toEqual([201, 201, 201, 413, 413, 413])
  const refused = answers.find(({ status }) => status === 413)
  expect(refused?.json()).toEqual({ detail: STORED })
  const files = (await service.call('GET', '/api/v2/files', { key })).json() as { id: string }[]
  expect(files).toHaveLength(3)

  const made = answers.findIndex(({ status }) => status === 201)
  const append = { name: `f${made}.txt`, path: '/api/v2/files?append=true' }
  expect((await upload(service, key, append)).status).toBe(413)
  expect((await upload(service, key, { ...append, bytes: 50_000 })).status).toBe(201)

  const flow = await save(service, key)
  const path = `/api/v1/files/upload/${flow}`
  expect((await upload(service, key, { path, bytes: 100_000 })).status).toBe(413)
  expect((await service.call('DELETE', `/api/v2/files/${files[0]?.id}`, { key })).status).toBe(200)
  expect((await upload(service, key, { path })).status).toBe(201)
  expect((await upload(service, key, { path })).status).toBe(413)

  const other = await addUser(service, 'other-storing')
  expect((await upload(service, other, {})).status).toBe(201)
})

test('OP-18: runs, builds, webhooks and the OpenAI API share one quota per user', async () => {
  const service = running()
  const key = await addUser(service, 'running')
  const flow = await save(service, key)
  const answers = await Promise.all([1, 2, 3, 4].map(() => run(service, flow, key)))
  expect(statuses(answers)).toEqual([200, 200, 200, 200])
  const build = () =>
    service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=direct`, { key, body: {} })
  expect((await build()).status).toBe(200)
  const refused = await build()
  expect([refused.status, refused.text]).toEqual([429, expect.stringMatching(RUNS)])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10_000)
  expect(statuses(await Promise.all([run(service, flow, key), run(service, flow, key)]))).toEqual([
    429, 429,
  ])
  const model = await service.call('POST', '/api/openai/v1/chat/completions', {
    key,
    body: { model: flow, messages: [{ role: 'user', content: 'hi' }] },
  })
  expect([model.status, model.json()]).toEqual([
    429,
    {
      error: expect.objectContaining({ message: expect.stringMatching(RUNS) as string }) as object,
    },
  ])

  const other = await addUser(service, 'other-running')
  expect((await run(service, await save(service, other), other)).status).toBe(200)
})

test('OP-18: the run count survives a restart', async () => {
  const service = running()
  const key = await addUser(service, 'restarting')
  const flow = await save(service, key)
  const four = await Promise.all([1, 2, 3, 4].map(() => run(service, flow, key)))
  expect(statuses(four)).toEqual([200, 200, 200, 200])
  await service.restart()
  const last = await Promise.all([1, 2, 3, 4].map(() => run(service, flow, key)))
  expect(statuses(last)).toEqual([200, 429, 429, 429])
})
