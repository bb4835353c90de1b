import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNode } from '@x/flow-engine'
import { anthropicModel, mcpTools } from '@x/flow-components'
import { languageModel } from '@x/flow-engine/components'
import { startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'
import { run, saveFlow, type Values } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

const KEY = 'sk-of-the-operator-0123456789'
const SECRET = 'internal secret'

/** A private server that flows must not reach. */
const seen: string[] = []
const inner: Server = createServer((request, response) => {
  seen.push(`${request.url} ${JSON.stringify(request.headers)}`)
  response.end(SECRET)
})
/** A private model server that the operator opened by SERVICE_SSRF_ALLOW. */
const opened: Server = createServer((_request, response) => {
  const message = { role: 'assistant', content: 'from the opened one' }
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }))
})
let openedUrl = ''
let address = ''
let llm: FakeOpenAi
beforeAll(async () => {
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.2', resolve))
  address = `http://127.0.0.2:${(inner.address() as AddressInfo).port}`
  llm = await startFakeOpenAi({ script: ['from the operator'] })
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.3', resolve))
  openedUrl = `http://127.0.0.3:${(opened.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  inner.close()
  opened.close()
  await llm.close()
})

test("AB-40, AB-41, AB-42: flows cannot reach private addresses and do not send the server's keys", async () => {
  const environment = {
    OPENAI_API_KEY: KEY,
    ANTHROPIC_API_KEY: 'sk-ant-operator',
    OPENAI_BASE_URL: llm.url,
    SERVICE_SSRF_ALLOW: '127.0.0.3',
  }
  await withService(environment, (service) =>
    keepsAnswering(service, async () => {
      const ask = async (values: Values, type = 'OpenAIModel'): Promise<string> => {
        const out = ['ChatOutput', {}, 'text_output>input_value'] as const
        const flow = await saveFlow(service, [[type, { input_value: 'hi', ...values }], out])
        return (await run(service, flow)).text
      }
      const own = { api_key: 'sk-mine' }
      const servers = '$OPENAI_API_KEY'

      // The operator's own address and key serve flows that name neither.
      expect(await ask({ api_key: servers })).toContain('from the operator')

      expect(await ask({ ...own, openai_api_base: openedUrl })).toContain('from the opened one')

      const refused = [
        await ask({ ...own, openai_api_base: address }),
        await ask({ ...own, base_url: address }, 'AnthropicModel'),
      ]
      for (const text of refused)
        expect(text).toContain('Address 127.0.0.2 is not allowed (SERVICE_SSRF_ALLOW)')
      expect(await ask({ api_key: servers, openai_api_base: 'http://attacker.test' })).toContain(
        'The key OPENAI_API_KEY of the server is not sent to an address of the flow',
      )

      const mcp = { name: 'x', config: { url: address } }
      for (const [component, field, value, values] of [
        [anthropicModel, 'base_url', address, { base_url: address, api_key: 'ANTHROPIC_API_KEY' }],
        [
          languageModel,
          'ollama_base_url',
          address,
          { provider: 'Ollama', ollama_base_url: address },
        ],
        [mcpTools, 'mcp_server', mcp, { mcp_server: mcp }],
      ] as const) {
        const { template } = createNode(component, { values }).data.node
        const code = template.code?.value ?? ''
        const answer = await service.call('POST', '/api/v1/custom_component/update', {
          body: { code, template, field, field_value: value },
        })
        expect(answer.text).not.toContain(SECRET)
      }
      await service.call('POST', '/api/v2/mcp/servers/inner', { body: { url: `${address}/sse` } })
      const counted = await service.call('GET', '/api/v2/mcp/servers?action_count=true')
      expect(counted.text).toContain('inner')

      expect(seen).toEqual([])
      expect(service.output()).not.toContain(KEY)
    }),
  )
})
