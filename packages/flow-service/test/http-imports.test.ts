import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { createUserCalls } from '@x/test-kit'

const encode = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const flow = (name: string, more: object = {}) => ({
  name,
  data: { nodes: [], edges: [] },
  ...more,
})
const zip = (files: Record<string, unknown>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, file]) => [name, encode(file)]))),
  )

async function importer() {
  const { call, request, record, engine } = await createUserCalls()
  const user = { userId: record.id, isSuperuser: false }
  const get = (path: string) => engine.handler(new Request(`http://host.example${path}`), { user })
  const upload = (kind: string, bytes: Uint8Array<ArrayBuffer>, filename = 'mine.bin') => {
    const body = new FormData()
    body.set('file', new File([bytes], filename))
    return request('POST', `/api/v1/${kind}/upload/`, { body })
  }
  return { call, get, engine, upload }
}

const names = ({ body }: { readonly body: unknown }): string[] =>
  (body as { readonly name: string }[]).map(({ name }) => name)

test('FF-90: one flow, a list, an object with flows and a zip of them are imported', async () => {
  const { upload, engine } = await importer()
  expect(names(await upload('flows', encode(flow('one'))))).toEqual(['one'])
  expect(names(await upload('flows', encode([flow('b'), flow('a')])))).toEqual(['b', 'a'])
  expect(names(await upload('flows', encode({ flows: [flow('c')] })))).toEqual(['c'])
  const files = {
    'z.json': flow('z'),
    'deep/folder/y.JSON': [flow('y1'), flow('y2')],
    'notes.txt': 'no flow',
    '__MACOSX/._z.json': 'no flow',
  }
  const answer = await upload('flows', zip(files), 'flow.json')
  expect([answer.status, names(answer)]).toEqual([201, ['y1', 'y2', 'z']])
  await engine.close()
})

test('FF-90: a bad file among good ones is named, and nothing is stored', async () => {
  const { call, upload, engine } = await importer()
  const bad: readonly [Record<string, unknown>, string][] = [
    [{ 'a.json': flow('a'), 'b.json': '{' }, 'The file b.json of the zip is not valid JSON'],
    [
      { 'a.json': flow('a'), 'b.json': { data: 3 } },
      'The file b.json of the zip holds no valid flow',
    ],
    [{ 'readme.md': '# Hi' }, 'The file holds no flow'],
    [{}, 'The file holds no flow'],
  ]
  for (const kind of ['flows', 'projects']) {
    for (const [files, detail] of bad) {
      const { status, body } = await upload(kind, zip(files))
      expect([kind, status, body]).toEqual([kind, 400, { detail }])
    }
  }
  const many = Array.from({ length: 1001 }, (_, index) => flow(`f${index}`))
  expect(await upload('flows', encode(many))).toMatchObject({
    status: 400,
    body: { detail: 'The file holds more than 1000 flows' },
  })
  expect((await call('GET', '/api/v1/flows/')).body).toEqual([])
  await engine.close()
})

test('FF-90, J5: a downloaded project is uploaded again without a loss', async () => {
  const { call, get, upload, engine } = await importer()
  const kept = {
    description: 'What it does',
    tags: ['x'],
    mcp_enabled: true,
    action_name: 'do_it',
    action_description: 'Does it',
  }
  const project = (await call('POST', '/api/v1/projects/', { name: 'Büro 1' })).body as {
    id: string
  }
  for (const name of ['a/b', 'A/b', '🚀 ', 'e\u0301']) {
    const sent = {
      ...flow(name, kept),
      folder_id: project.id,
      endpoint_name: name === 'a/b' ? 'ep' : null,
    }
    expect(await call('POST', '/api/v1/flows/', sent)).toMatchObject({ status: 201 })
  }
  const path = `/api/v1/projects/download/${project.id}`
  const response = await get(path)
  const disposition = response.headers.get('content-disposition') ?? ''
  const filename = decodeURIComponent(disposition.split("''")[1] ?? '')
  const answer = await upload('projects', new Uint8Array(await response.arrayBuffer()), filename)
  expect(answer.status).toBe(201)
  const flows = answer.body as { name: string; endpoint_name: string | null }[]
  expect(flows).toHaveLength(4)
  for (const read of flows) expect(read).toMatchObject(kept)
  expect(flows.flatMap(({ endpoint_name: name }) => name ?? [])).toEqual(['ep-1'])
  expect(names(await call('GET', '/api/v1/projects/'))).toContain('Büro 1 (1)')
  await engine.close()
})

test('FF-90: a list of flows becomes a project named after the file', async () => {
  const { call, upload, engine } = await importer()
  expect(names(await upload('projects', encode([flow('a')]), 'Team work.json'))).toEqual(['a'])
  expect(names(await call('GET', '/api/v1/projects/'))).toContain('Team work')
  expect(await upload('projects', encode({ flows: [flow('a')] }))).toMatchObject({ status: 422 })
  expect(await upload('projects', encode(flow('a')))).toMatchObject({ status: 400 })
  for (const empty of [{}, []]) {
    expect(await upload('projects', encode(empty))).toMatchObject({
      status: 400,
      body: { detail: 'No flows found in the file' },
    })
  }
  await engine.close()
})
