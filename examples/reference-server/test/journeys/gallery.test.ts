import type { FlowJson } from '@x/flow-engine/graph'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { importFlow, messageOf, runFlow, sharedService } from './flow-calls.ts'
import type { Service } from './service.ts'

const vendor = await startFakeOpenAi({ script: ['a fine answer', 'an agent answers'] })
afterAll(() => vendor.close())

/** A flow made of an example, as the editor makes it. */
async function fromGallery(service: Service, name: string): Promise<string> {
  const examples = (await service.call('GET', '/api/v1/flows/basic_examples/')).json() as FlowJson[]
  const example = examples.find((each) => each.name === name)
  return importFlow(service, { name, data: example?.data ?? null })
}

describe('examples of the gallery', () => {
  const service = sharedService({ OPENAI_BASE_URL: vendor.url })

  test(
    'without the key an example names the variable and asks no vendor; after storing it once, examples run',
    { timeout: 60_000 },
    async () => {
      const basic = await fromGallery(service(), 'Basic Prompting')
      const agent = await fromGallery(service(), 'Simple Agent')
      for (const id of [basic, agent]) {
        const refused = await runFlow(service(), id, 'hello')
        expect(refused.status).toBeGreaterThanOrEqual(400)
        expect(refused.text).toContain('OPENAI_API_KEY')
      }
      expect(vendor.requests).toEqual([])

      const stored = await service().call('POST', '/api/v1/variables/', {
        body: { name: 'OPENAI_API_KEY', value: 'sk-mine', type: 'Credential', default_fields: [] },
      })
      expect(stored.status).toBe(201)
      expect(messageOf(await runFlow(service(), basic, 'hello'))).toBe('a fine answer')
      expect(messageOf(await runFlow(service(), agent, 'hello'))).toBe('an agent answers')
    },
  )
})
