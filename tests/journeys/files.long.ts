import { startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  chatFlow,
  field,
  formOf,
  readingFlow,
  storeFlow,
  tableFlow,
  uploadToFlow,
  uploadToUser,
} from './material.ts'
import { newPerson } from './people.ts'
import { startService, type Answer, type Service } from './service.ts'

let service: Service
let model: FakeOpenAi
let reader = ''
let chat = ''
let end: () => Promise<void>

beforeAll(async () => {
  model = await startFakeOpenAi()
  const environment = { OPENAI_API_KEY: 'sk-journey', OPENAI_BASE_URL: model.url }
  ;({ service, end } = await startService(environment))
  reader = await storeFlow(service, readingFlow())
  chat = await storeFlow(service, chatFlow())
})
afterAll(async () => {
  await end()
  await model.close()
})
beforeEach(() => void model.requests.splice(0))

const read = (path: string | readonly string[], flow = reader, key = service.key) =>
  service.call('POST', `/api/v1/run/${flow}`, {
    key,
    body: { tweaks: { 'File-00001': { path } } },
  })
const build = (flow: string, body: object, delivery = 'direct') =>
  service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=${delivery}`, { body })
const IMAGE = /"image_url":\{"url":"data:image\/png;base64,iVBORw0KGgo/
const asked = () => JSON.stringify(model.requests)

describe('AB-55 an uploaded file is read by a run of its owner', () => {
  const formats: readonly (readonly [string, string])[] = [
    ['note.txt', 'Bring the blue umbrella.'],
    ['ships.csv', 'Aurora,1200'],
    ['crew.json', 'Ada'],
    ['page.md', '# Tides'],
    ['tide.pdf', 'The tide turns at noon.'],
    ['report.docx', 'Seven ships arrived.'],
  ]
  test.each(formats)('%s, uploaded to the user (v2) and set by a tweak', async (name, text) => {
    const answer = await read(await uploadToUser(service, name))
    expect(answer.text).toContain(text)
    expect(answer.status).toBe(200)
  })

  test('a file of the flow (v1) is read by a run of that flow and of another flow of the owner', async () => {
    const other = await storeFlow(service, readingFlow([], 'other'))
    const path = await uploadToFlow(service, other, 'note.txt')
    expect((await read(path, other)).text).toContain('blue umbrella')
    expect((await read(path)).text).toContain('blue umbrella')
  })

  test('several files of both kinds are read in one run', async () => {
    const paths = [
      await uploadToUser(service, 'tide.pdf'),
      await uploadToFlow(service, reader, 'report.docx'),
      await uploadToUser(service, 'crew.json'),
    ]
    const { text } = await read(paths)
    for (const part of ['turns at noon', 'Seven ships', 'captain']) expect(text).toContain(part)
  })

  test('an Excel table chosen in the stored flow is read by a run, by a build and after a restart', async () => {
    const path = await uploadToUser(service, 'ships.xlsx')
    const table = await storeFlow(service, await tableFlow(service, path))
    expect((await service.call('POST', `/api/v1/run/${table}`, { body: {} })).text).toContain(
      'Aurora',
    )
    await service.restart({ signal: 'SIGKILL' })
    expect((await build(table, {})).text).toContain('Aurora')
  })

  test('CO-38: reading a table or an image as text fails with an error that suggests an alternative', async () => {
    const table = await read(await uploadToUser(service, 'ships.xlsx'))
    expect(table.text).toContain("use the output 'Structured Content'")
    const picture = await read(await uploadToFlow(service, reader, 'flag.png'))
    expect(picture.text).toContain('attach it to the chat to show it to the model')
    for (const { text } of [table, picture]) expect(text).not.toContain('Advanced Parser')
  })

  test('deleted files and files of other users give errors that name the file', async () => {
    const gone = await service.call('POST', '/api/v2/files', {
      body: await formOf('gone.txt', 'x'),
    })
    const path = field(gone, 'path')
    expect((await read(path)).status).toBe(200)
    await service.call('DELETE', `/api/v2/files/${field(gone, 'id')}`)
    const answer = await read(path)
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining(path)])

    const bob = await newPerson(service, 'bob')
    const own = await uploadToUser(service, 'note.txt')
    const ofFlow = await uploadToFlow(service, reader, 'note.txt')
    const theirs = await storeFlow(service, readingFlow([], 'theirs'), {}, bob.key)
    for (const foreign of [own, ofFlow, `../users/${own}`, `users/${own}`]) {
      const refused = await read(foreign, theirs, bob.key)
      expect(refused.status).toBe(404)
      expect(refused.text).toContain('not found')
    }
  })
})

describe('an image in the chat reaches the model', () => {
  const path = (): Promise<string> => uploadToFlow(service, chat, 'flag.png')
  const ask = { inputs: { input_value: 'What is this?' } }

  test.each(['direct', 'streaming', 'polling'])(
    'in a build that is read by %s',
    async (delivery) => {
      model.reply('A red flag')
      const image = await path()
      let answer = await build(chat, { ...ask, files: [image] }, delivery)
      if (delivery !== 'direct') {
        const job = field(answer, 'job_id')
        answer = await allEvents(job, delivery)
      }
      expect(answer.text).toContain('A red flag')
      expect(asked()).toMatch(IMAGE)
    },
  )

  test('an answer made from a prompt does not repeat the files of the question', async () => {
    const flows = (await service.call('GET', '/api/v1/flows/')).json() as {
      id: string
      name: string
    }[]
    const echo = flows.find(({ name }) => name === 'echo')?.id ?? ''
    const image = await uploadToFlow(service, echo, 'flag.png')
    const built = await service.call('POST', `/api/v1/build/${echo}/flow?event_delivery=direct`, {
      body: { inputs: { input_value: 'a flag', session: 'flags' }, files: [image] },
    })
    expect(built.text).toContain('You said: a flag')
    const stored = await service.call('GET', '/api/v1/monitor/messages?session_id=flags')
    const messages = stored.json() as { sender: string; files: string[] }[]
    expect(messages.map(({ sender, files }) => [sender, files])).toEqual([
      ['User', [image]],
      ['Machine', []],
    ])
  })

  test('in a run, in a streamed run and from the user’s own files', async () => {
    const runs = [
      ['/api/v1/run/', await path()],
      ['/api/v1/run/', await uploadToUser(service, 'flag.png')],
    ] as const
    for (const [at, image] of runs) {
      model.reply('red')
      const tweaks = { 'ChatInput-00001': { files: [image] } }
      await service.call('POST', `${at}${chat}`, { body: { input_value: 'What?', tweaks } })
    }
    model.reply('red')
    const tweaks = { 'ChatInput-00001': { files: [await path()] } }
    const streamed = await service.call('POST', `/api/v1/run/${chat}?stream=true`, {
      body: { input_value: 'What?', tweaks },
    })
    expect(streamed.text).toContain('"event": "end"')
    expect(model.requests).toHaveLength(3)
    for (const request of model.requests) expect(JSON.stringify(request)).toMatch(IMAGE)
  })

  test('a missing image gives an error that names it, and no message is stored', async () => {
    const answer = await build(chat, {
      inputs: { input_value: 'lost', session: 'lost' },
      files: [`${chat}/lost.png`],
    })
    expect(answer.text).toContain(`File not found: '${chat}/lost.png'`)
    expect(model.requests).toEqual([])
    const kept = await service.call('GET', '/api/v1/monitor/messages?session_id=lost')
    expect(kept.json()).toEqual([expect.objectContaining({ files: [], category: 'error' })])
  })
})

describe('CO-30 a file in the chat reaches the model, or a warning names it', () => {
  const askWith = async (files: readonly string[], query = '') => {
    model.reply('Noted')
    const tweaks = { 'ChatInput-00001': { files } }
    return service.call('POST', `/api/v1/run/${chat}${query}`, {
      body: { input_value: 'What does it say?', tweaks },
    })
  }
  const warningsOf = (answer: Answer): unknown => Reflect.get(Object(answer.json()), 'warnings')

  test.each([
    ['note.txt', 'Bring the blue umbrella.'],
    ['ships.csv', 'Aurora,1200'],
    ['crew.json', 'captain'],
    ['page.md', '# Tides'],
  ])('%s is read by the model as text', async (name, text) => {
    const answer = await askWith([await uploadToFlow(service, chat, name)])
    expect(answer.status).toBe(200)
    expect(asked()).toContain('What does it say?')
    expect(asked()).toContain(text)
    expect(asked()).toContain(name)
    expect(warningsOf(answer)).toBeUndefined()
  })

  test('an SVG and a PDF are named in warnings; a text file beside them is read', async () => {
    const names = ['logo.svg', 'note.txt', 'tide.pdf']
    const files = await Promise.all(names.map((name) => uploadToFlow(service, chat, name)))
    const answer = await askWith(files)
    expect(answer.text).toContain('Noted')
    expect(asked()).toContain('blue umbrella')
    expect(asked()).not.toContain('<svg')
    const about = (name: string) => ({
      code: 'file_left_out',
      component_id: 'LanguageModelComponent-00001',
      message: expect.stringContaining(`${name}: models read images`) as unknown,
    })
    expect(warningsOf(answer)).toEqual([about('logo.svg'), about('tide.pdf')])
    const streamed = await askWith(files, '?stream=true')
    expect(streamed.text).toContain('logo.svg: models read images')
    model.reply('Noted')
    const built = await build(chat, { inputs: { input_value: 'Well?' }, files })
    expect(built.text).toContain('logo.svg: models read images')
  })

  test('a text that is too long is truncated with a warning', async () => {
    const long = await uploadToUser(service, 'long.txt', { bytes: `start ${'é'.repeat(250_000)}` })
    const answer = await askWith([long])
    expect(answer.status).toBe(200)
    expect(asked()).toContain('start é')
    expect(asked().length).toBeLessThan(210_000)
    expect(JSON.stringify(warningsOf(answer))).toContain('first 200000 characters of the file long')
  })
})

async function allEvents(job: string, delivery: string): Promise<Answer> {
  const path = `/api/v1/build/${job}/events?event_delivery=${delivery}`
  const answers: Answer[] = []
  for (let poll = 0; poll < 200; poll += 1) {
    const answer = await service.call('GET', path)
    answers.push(answer)
    if (answer.text.includes('"event": "end"') || answer.text.includes('"event":"end"')) break
  }
  const [first] = answers
  if (first === undefined) throw new Error('No events')
  return { ...first, text: answers.map(({ text }) => text).join('\n') }
}
