import type { FlowJson } from '@x/flow-engine'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { importFlow, messageOf, runFlow, sharedService } from './flow-calls.ts'
import { uploadToUser } from './material.ts'
import { newPerson } from './people.ts'
import type { Service } from './service.ts'

const vendor = await startFakeOpenAi()
afterAll(() => vendor.close())

/** A flow made of an example, as the editor makes it. */
async function fromGallery(service: Service, name: string, options = {}): Promise<string> {
  const examples = (await service.call('GET', '/api/v1/flows/basic_examples/')).json() as FlowJson[]
  const example = examples.find((each) => each.name === name)
  return importFlow(service, { name, data: example?.data ?? null }, options)
}

describe('gallery examples', () => {
  const service = sharedService({ OPENAI_BASE_URL: vendor.url })

  test('without the key an example names the missing variable and calls no vendor; once it is stored, examples run', async () => {
    const basic = await fromGallery(service(), 'Basic Prompting')
    const agent = await fromGallery(service(), 'Simple Agent')
    const asked = vendor.requests.length
    for (const id of [basic, agent]) {
      const refused = await runFlow(service(), id, 'hello')
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(refused.text).toContain('OPENAI_API_KEY')
    }
    expect(vendor.requests.length).toBe(asked)

    const stored = await service().call('POST', '/api/v1/variables/', {
      body: { name: 'OPENAI_API_KEY', value: 'sk-mine', type: 'Credential', default_fields: [] },
    })
    expect(stored.status).toBe(201)
    vendor.reply('a fine answer', 'an agent answers')
    expect(messageOf(await runFlow(service(), basic, 'hello'))).toBe('a fine answer')
    expect(messageOf(await runFlow(service(), agent, 'hello'))).toBe('an agent answers')
  })

  test('Vector Store RAG answers from an uploaded document, and from its stored data after a restart', async () => {
    const { key } = await newPerson(service(), 'rita')
    const rag = await fromGallery(service(), 'Vector Store RAG', { key })
    await service().call('POST', '/api/v1/variables/', {
      key,
      body: { name: 'OPENAI_API_KEY', value: 'sk-mine', type: 'Credential', default_fields: [] },
    })
    const path = await uploadToUser(service(), 'note.txt', { key })
    const ask = async (question: string): Promise<string | undefined> => {
      const tweaks = { 'Read File': { path: [path] } }
      return messageOf(await runFlow(service(), rag, question, { key, tweaks }))
    }
    vendor.reply('a blue one')
    expect(await ask('Which umbrella?')).toBe('a blue one')
    const told = JSON.stringify(vendor.requests.at(-1))
    expect(told).toContain('Bring the blue umbrella')
    expect(told).toContain('Question: Which umbrella?')
    await service().restart({ signal: 'SIGKILL' })
    vendor.reply('still blue')
    expect(await ask('And now?')).toBe('still blue')
    expect(JSON.stringify(vendor.requests.at(-1))).toContain('Bring the blue umbrella')
  })
})
