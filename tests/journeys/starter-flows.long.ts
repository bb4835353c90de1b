import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtinComponents } from '@x/flow-components'
import type { FlowJson } from '@x/flow-engine'
import {
  flowBuilder,
  startFakeOpenAi,
  type FakeOpenAi,
  type FlowBuilder,
} from '@x/flow-engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeFlow, uploadToFlow, uploadToUser, withStoredKeys } from './material.ts'
import { startService, type Service, type SharedService } from './service.ts'

/** Flows as users of the editor export them; they lie beside the checkout, or are not there. */
const STARTERS = new URL('../../../shared/golden/flows/starter/', import.meta.url)
const hasStarters = existsSync(STARTERS)
const note = hasStarters ? '' : ' (skipped: no starter flows beside the checkout)'

let shared: SharedService
let service: Service
let model: FakeOpenAi

beforeAll(async () => {
  model = await startFakeOpenAi()
  shared = await startService({
    OPENAI_API_KEY: 'sk-journey',
    OPENAI_BASE_URL: model.url,
    // Pages of the tests lie on loopback.
    SERVICE_SSRF_ALLOW: '127.0.0.1',
  })
  service = shared.service
})
afterAll(async () => {
  await shared.end()
  await model.close()
})
beforeEach(() => void model.requests.splice(0))

const run = (flow: string, body: object) =>
  service.call('POST', `/api/v1/run/${flow}`, { body: { output_type: 'any', ...body } })
const asked = (at: number): string => JSON.stringify(model.requests[at])
const IMAGE = /"image_url":\{"url":"data:image\/png;base64,iVBORw0KGgo/

/** A flow of the parts that starter flows are made of; models take their key from the variables. */
function flowOf(name: string, build: (flow: FlowBuilder) => void): FlowJson {
  const flow = flowBuilder(name, { components: builtinComponents })
  build(flow)
  return withStoredKeys(flow.toJSON())
}

const MODEL = { provider: 'OpenAI', model_name: 'gpt-4o-mini' }
const SCHEMA = {
  schema_name: 'Found',
  output_schema: [{ name: 'mood', description: 'a mood', type: 'str', multiple: 'False' }],
}
const mood = (text: string) => ({
  toolCalls: [{ name: 'Found', args: { objects: [{ mood: text }] } }],
})

describe('starter flows run completely with real files', () => {
  test('document Q&A puts the text of the document in the system message', async () => {
    const path = await uploadToUser(service, 'tide.pdf')
    const flow = await storeFlow(
      service,
      flowOf('document questions', (to) => {
        to.add('File', { values: { path: [path] } })
        to.add('Prompt Template', {
          id: 'Prompt-1',
          values: { template: 'Answer by {document}', document: '' },
        })
        to.add('ChatInput')
        to.add('LanguageModelComponent', { id: 'Model-1', values: MODEL })
        to.add('ChatOutput')
        to.connect('File-00001.message', 'Prompt-1.document')
        to.connect('Prompt-1.prompt', 'Model-1.system_message')
        to.connect('ChatInput-00001.message', 'Model-1.input_value')
        to.connect('Model-1.text_output', 'ChatOutput-00001.input_value')
      }),
    )
    model.reply('At noon')
    const answer = await run(flow, { input_value: 'When does the tide turn?' })
    expect(answer.text).toContain('At noon')
    expect(asked(0)).toContain('The tide turns at noon.')
    expect(asked(0)).toContain('When does the tide turn?')
  })

  test('image sentiment: one model sees the image, another fills a table', async () => {
    const flow = await storeFlow(
      service,
      flowOf('image mood', (to) => {
        to.add('ChatInput')
        to.add('LanguageModelComponent', { id: 'Seeing-1', values: MODEL })
        to.add('LanguageModelComponent', { id: 'Sorting-1', values: MODEL })
        to.add('StructuredOutput', { id: 'Structured-1', values: SCHEMA })
        to.add('ParserComponent', { id: 'Parser-1', values: { pattern: 'Mood: {mood}' } })
        to.add('ChatOutput')
        to.connect('ChatInput-00001.message', 'Seeing-1.input_value')
        to.connect('Seeing-1.text_output', 'Structured-1.input_value')
        to.connect('Sorting-1.model_output', 'Structured-1.llm')
        to.connect('Structured-1.dataframe_output', 'Parser-1.input_data')
        to.connect('Parser-1.parsed_text', 'ChatOutput-00001.input_value')
      }),
    )
    const path = await uploadToFlow(service, flow, 'flag.png')
    model.reply('A cheerful flag', mood('cheerful'))
    const built = await service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=direct`, {
      body: { inputs: { input_value: 'Which mood?' }, files: [path] },
    })
    expect(built.text).toContain('Mood: cheerful')
    expect(asked(0)).toMatch(IMAGE)
    expect(asked(1)).toContain('A cheerful flag')
  })

  test('text sentiment: one file goes to two prompts and gives two answers', async () => {
    const path = await uploadToUser(service, 'note.txt')
    const flow = await storeFlow(
      service,
      flowOf('text mood', (to) => {
        to.add('File', { values: { path: [path] } })
        for (const [id, text] of [
          ['Short', 'Shorten {text}'],
          ['Mood', 'The mood of {text}'],
        ] as const) {
          to.add('Prompt Template', { id: `${id}-1`, values: { template: text, text: '' } })
          to.add('LanguageModelComponent', { id: `${id}Model-1`, values: MODEL })
          to.add('ChatOutput', { id: `ChatOutput-${id}` })
          to.connect('File-00001.message', `${id}-1.text`)
          to.connect(`${id}-1.prompt`, `${id}Model-1.input_value`)
          to.connect(`${id}Model-1.text_output`, `ChatOutput-${id}.input_value`)
        }
      }),
    )
    model.reply('answer', 'answer')
    const answer = await run(flow, {})
    expect(answer.text.match(/ChatOutput-(Short|Mood)/g)?.length).toBeGreaterThanOrEqual(2)
    const both = model.requests.map((request) => JSON.stringify(request)).toSorted()
    expect(both).toHaveLength(2)
    expect(both.join()).toMatch(/Shorten Bring the blue umbrella/)
    expect(both.join()).toMatch(/The mood of Bring the blue umbrella/)
  })

  test('portfolio: a Word file becomes a table, from which a model writes a page', async () => {
    const path = await uploadToUser(service, 'report.docx')
    const flow = await storeFlow(
      service,
      flowOf('portfolio', (to) => {
        to.add('File', { values: { path: [path] } })
        to.add('LanguageModelComponent', { id: 'Sorting-1', values: MODEL })
        to.add('StructuredOutput', { id: 'Structured-1', values: SCHEMA })
        to.add('ParserComponent', { id: 'Parser-1', values: { pattern: 'Page of {mood}' } })
        to.add('LanguageModelComponent', { id: 'Writing-1', values: MODEL })
        to.add('ChatOutput')
        to.connect('File-00001.message', 'Structured-1.input_value')
        to.connect('Sorting-1.model_output', 'Structured-1.llm')
        to.connect('Structured-1.dataframe_output', 'Parser-1.input_data')
        to.connect('Parser-1.parsed_text', 'Writing-1.input_value')
        to.connect('Writing-1.text_output', 'ChatOutput-00001.input_value')
      }),
    )
    model.reply(mood('harbour'), '<html>harbour</html>')
    const answer = await run(flow, {})
    expect(answer.text).toContain('<html>harbour</html>')
    expect(asked(0)).toContain('Seven ships arrived.')
    expect(asked(1)).toContain('Page of harbour')
  })
})

describe.skipIf(!hasStarters)(`starter flows as they were exported${note}`, () => {
  const imported = async (name: string): Promise<string> => {
    const flow = JSON.parse(readFileSync(new URL(`${name}.json`, STARTERS), 'utf8')) as FlowJson
    return await storeFlow(service, { ...flow, name })
  }

  test('Memory Chatbot remembers turns across a restart, separates sessions, and sees an image', async () => {
    const flow = await imported('Memory Chatbot')
    const turn = (input_value: string, session_id: string, tweaks = {}) => {
      model.reply(`heard ${input_value}`)
      return run(flow, { input_value, session_id, tweaks })
    }
    expect((await turn('I am Ada', 'one')).text).toContain('heard I am Ada')
    await service.restart({ signal: 'SIGKILL' })
    const path = await uploadToFlow(service, flow, 'flag.png')
    await turn('Who am I?', 'one', { 'Chat Input': { files: [path] } })
    expect(asked(1)).toContain('heard I am Ada')
    expect(asked(1)).toMatch(IMAGE)
    await turn('Who am I?', 'two')
    expect(asked(2)).not.toContain('Ada')
  })

  test.each([
    ['Basic Prompting', 1],
    ['Basic Prompt Chaining', 3],
  ])('%s answers about an image', async (name, models) => {
    const flow = await imported(name)
    const path = await uploadToFlow(service, flow, 'flag.png')
    model.reply(...Array.from({ length: models }, (_, n) => `answer ${n + 1}`))
    const tweaks = { 'Chat Input': { files: [path] } }
    const answer = await run(flow, { input_value: 'What is this?', tweaks })
    expect(answer.text).toContain(`answer ${models}`)
    expect(asked(0)).toMatch(IMAGE)
    expect(model.requests).toHaveLength(models)
  })

  test('Blog Writer reads a page and writes a post from it', async () => {
    const page = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<html><body><h1>Lighthouse</h1><p>It was lit in 1811.</p></body></html>')
    }).listen(0, '127.0.0.1')
    await once(page, 'listening')
    try {
      const flow = await imported('Blog Writer')
      const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/tower`
      model.reply('A post about a lighthouse')
      const answer = await run(flow, {
        tweaks: { URLComponent: { urls: [url] }, URL: { urls: [url] } },
      })
      expect(answer.text).toContain('A post about a lighthouse')
      expect(asked(0)).toContain('It was lit in 1811.')
    } finally {
      page.close()
    }
  })

  test('Financial Report Parser and Simple Agent run with the key in a tweak', async () => {
    const report = await imported('Financial Report Parser')
    const figures = { EBITDA: '9', NET_INCOME: '5', GROSS_PROFIT: '7' }
    model.reply('no tool', JSON.stringify({ objects: [figures] }))
    const parsed = await run(report, { input_value: 'EBITDA 9', tweaks: { api_key: 'sk-mine' } })
    expect(parsed.text).toContain('EBITDA: 9')
    model.requests.splice(0)
    const agent = await imported('Simple Agent')
    model.reply('four')
    const answer = await run(agent, { input_value: '2+2', tweaks: { api_key: 'sk-mine' } })
    expect(answer.text).toContain('four')
  })
})
