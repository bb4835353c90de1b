import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowJson } from '@x/flow-engine'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ANSWER, PAGE_TEXT, startAnsweringModel, type AnsweringModel } from './answering-model.ts'
import { knowledgeFlows, makeBase, TEXT } from './knowledge-flows.ts'
import { uploadToFlow, uploadToUser } from './material.ts'
import { startService, type Answer, type Service, type SharedService } from './service.ts'

/** A folder for each version, with the starter flows that its editor exports. */
const folder = process.env['FLOW_STARTERS'] ?? ''
const versions =
  folder !== '' && existsSync(folder)
    ? readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    : []
const note = versions.length === 0 ? ' (skipped: FLOW_STARTERS names no folder of versions)' : ''
const IMAGE = /"url":"data:image\/png;base64,iVBORw0KGgo/

/** Those that ask nobody but a model and pages; each version has at least ten of them. */
const WHOLE = [
  'Basic Prompt Chaining',
  'Basic Prompting',
  'Blog Writer',
  'Custom Component Generator',
  'Document Q&A',
  'Financial Report Parser',
  'Image Sentiment Analysis',
  'Memory Chatbot',
  'Pokédex Agent',
  'Portfolio Website Code Generator',
  'SEO Keyword Generator',
  'SaaS Pricing',
  'Simple Agent',
  'Text Sentiment Analysis',
  'Travel Planning Agents',
  'Twitter Thread Generator',
]
/** Those that are shown a picture. */
const SEEING: ReadonlySet<string> = new Set(['Basic Prompting', 'Image Sentiment Analysis'])
/** The file that a person gives each, and what of it the model has to be told. */
const FILES: Readonly<Record<string, readonly [name: string, told: string]>> = {
  'Document Q&A': ['tide.pdf', 'The tide turns at noon.'],
  'Financial Report Parser': ['report.docx', 'Seven ships arrived.'],
  'Portfolio Website Code Generator': ['report.docx', 'Seven ships arrived.'],
  'Text Sentiment Analysis': ['note.txt', 'Bring the blue umbrella.'],
}

let shared: SharedService
let service: Service
let model: AnsweringModel

beforeAll(async () => {
  model = await startAnsweringModel()
  shared = await startService({ OPENAI_BASE_URL: model.url, SERVICE_SSRF_ALLOW: '127.0.0.1' })
  service = shared.service
  const body = { name: 'OPENAI_API_KEY', value: 'sk-journey', type: 'Credential' }
  await service.call('POST', '/api/v1/variables/', { body: { ...body, default_fields: [] } })
})
afterAll(async () => {
  await shared.end()
  model.close()
})
beforeEach(() => void model.asked.splice(0))

const hasStarters = versions.length > 0
describe.skipIf(!hasStarters).each(hasStarters ? versions : ['any version'])(
  `starter flows of %s${note}`,
  (version) => {
    const names = WHOLE.filter((name) => existsSync(join(folder, version, `${name}.json`)))

    test('at least ten are present', () => {
      expect(names.length).toBeGreaterThanOrEqual(10)
    })

    test.each(names)('%s is imported and runs completely', async (name) => {
      const flow = await imported(version, name)
      const told = await prepare(flow, FILES[name])
      const image = SEEING.has(name)
      const seen = image ? [await uploadToFlow(service, flow, 'flag.png')] : []
      if (name === 'Blog Writer') told.push(PAGE_TEXT)
      const answer = await run(flow, 'What is this about?', { session: 'one', files: seen })
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(ANSWER)])
      expect(model.asked.length).toBeGreaterThan(0)
      for (const text of told) expect(model.asked.join()).toContain(text)
      expect(IMAGE.test(model.asked[0] ?? '')).toBe(image)
      if (name === 'Memory Chatbot') await remembers(flow)
    })
  },
)

/** A second turn knows the first, also after a crash; another session does not. */
async function remembers(flow: string): Promise<void> {
  await service.restart({ signal: 'SIGKILL' })
  await run(flow, 'And now?', { session: 'one' })
  expect(model.asked.at(-1)).toContain('What is this about?')
  expect(model.asked.at(-1)).toContain(ANSWER)
  await run(flow, 'And now?', { session: 'two' })
  expect(model.asked.at(-1)).not.toContain('What is this about?')
}

interface Turn {
  readonly session: string
  readonly files?: readonly string[]
}

function run(flow: string, text: string, { session, files = [] }: Turn): Promise<Answer> {
  const tweaks = files.length === 0 ? {} : { 'Chat Input': { files } }
  return service.call('POST', `/api/v1/run/${flow}`, {
    body: { input_value: text, output_type: 'any', session_id: session, tweaks },
  })
}

/** The file of the export, given to the editor's import as it is. */
async function imported(version: string, name: string): Promise<string> {
  const form = new FormData()
  const bytes = new Uint8Array(readFileSync(join(folder, version, `${name}.json`)))
  form.set('file', new File([bytes], `${name}.json`, { type: 'application/json' }))
  const answer = await service.call('POST', '/api/v1/flows/upload/', { body: form })
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"id"')])
  const [flow] = answer.json() as { id: string }[]
  return flow?.id ?? ''
}

/**
 * The choices of a person in the editor after the import: a model, a file, a knowledge base and a
 * page. Gives the scripted answers for the model.
 */
async function prepare(id: string, file: readonly [string, string] | undefined): Promise<string[]> {
  const stored = await service.call('GET', `/api/v1/flows/${id}`)
  const { data } = stored.json() as FlowJson
  const told: string[] = []
  for (const { data: inner } of data?.nodes ?? []) {
    const template = inner.node?.template ?? {}
    for (const [name, field] of Object.entries(template)) {
      if (typeof field !== 'object' || field === null) continue
      if (field.type === 'model') field.value = [{ name: 'gpt-4o-mini', provider: 'OpenAI' }]
      if (field.type === 'file' && file !== undefined && inner.type === 'File') {
        Object.assign(field, { value: '', file_path: [await uploadToUser(service, file[0])] })
        told.push(file[1])
      }
      if (name === 'knowledge_base') {
        field.value = await knowledgeBase()
        told.push('green tea is brewed')
      }
      if (name === 'urls') field.value = [model.page]
      if (name === 'provider') field.value = 'OpenAI'
      if (name === 'model_name') field.value = 'gpt-4o-mini'
      if (name === 'api_key' && field.password === true && template['model'] === undefined)
        Object.assign(field, { value: 'OPENAI_API_KEY', load_from_db: true })
    }
  }
  const saved = await service.call('PATCH', `/api/v1/flows/${id}`, { body: { data } })
  expect(saved.status).toBe(200)
  return told
}

/** A base of a few texts, made and filled when it is first wanted. */
let base: Promise<unknown> | undefined
function knowledgeBase(): Promise<unknown> {
  return (base ??= (async () => {
    const name = await makeBase(service, 'documents')
    const { ingest } = await knowledgeFlows(service, 'documents')
    const filled = await service.call('POST', `/api/v1/run/${ingest}`, {
      body: { input_value: TEXT },
    })
    expect(filled.status).toBe(200)
    return name
  })())
}
