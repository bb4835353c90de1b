import { needs } from '@x/test-kit/needs'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openAiModel } from '@x/flow-components'
import { createFlow } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, runToEnd, startServer } from '../server/start-server.ts'

/** A model server that tells 10 tokens of input and at most 200 of output. */
async function vendor() {
  const told = { calls: 0, output: 0 }
  const server = createServer((request, reply) => {
    void (async () => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const { max_tokens: most = 4096 } = JSON.parse(text) as { max_tokens?: number }
      const completion = Math.min(200, most)
      told.calls += 1
      told.output += completion
      const usage = { prompt_tokens: 10, completion_tokens: completion, total_tokens: 0 }
      const message = { role: 'assistant', content: 'Yes' }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      reply.writeHead(200, { 'content-type': 'application/json' })
      reply.end(JSON.stringify({ id: 'a', model: 'm', choices, usage }))
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/v1`, told, close }
}

function asking(url: string): string {
  const flow = createFlow('asking')
  const model = flow.add(openAiModel, {
    values: { openai_api_base: url, api_key: 'MODEL_KEY', max_retries: 0, max_tokens: 400 },
  })
  flow
    .connect(flow.add(chatInput).outputs.message, model.inputs.input_value)
    .connect(model.outputs.text_output, flow.add(chatOutput).inputs.input_value)
  return JSON.stringify(flow)
}

test(
  'FC-101 J8: two servers on one database race for the money of a user, and the sum holds',
  needs('postgres'),
  async () => {
    await inFolder(async (folder) => {
      const database = await postgresDatabase()
      const model = await vendor()
      const prices = join(folder, 'prices.json')
      await writeFile(prices, JSON.stringify({ '*': { input: 0, output: 100 } }))
      // Money for 2,000 tokens of output.
      const environment = {
        SERVICE_CONFIG_DIR: join(folder, 'shared'),
        SERVICE_DATABASE_URL: database.address,
        SERVICE_SECRET_KEY: 'a secret that all of them are given',
        SERVICE_SSRF_ALLOW: '127.0.0.1',
        SERVICE_BUDGETS: '[{"per":"user","window":"month","money":0.2}]',
        SERVICE_PRICES: `@${prices}`,
        LOG_LEVEL: 'error',
      }
      const servers = [await startServer(environment), await startServer(environment)]
      try {
        const [first, second] = servers.map(({ url }) => url) as [string, string]
        const key = /^API key: (\S+)/m.exec(servers[0]?.output() ?? '')?.[1] ?? ''
        const headers = { 'x-api-key': key, 'content-type': 'application/json' }
        const post = async (url: string, body: string) => {
          const answer = await fetch(url, { method: 'POST', headers, body })
          return { status: answer.status, text: await answer.text() }
        }
        const variable = { name: 'MODEL_KEY', value: 'sk-any', type: 'Credential' }
        await post(
          `${first}/api/v1/variables/`,
          JSON.stringify({ ...variable, default_fields: [] }),
        )
        const made = await post(`${first}/api/v1/flows/`, asking(model.url))
        const { id } = JSON.parse(made.text) as { id: string }
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            post(`${n % 2 === 0 ? first : second}/api/v1/run/${id}`, '{"input_value":"hi"}'),
          ),
        )
        expect(model.told.output).toBeLessThanOrEqual(2000)
        expect(model.told.output).toBeGreaterThan(2000 - 16)
        const refused = answers.filter(({ status }) => status !== 200)
        expect(refused.length).toBeGreaterThan(30)
        for (const { status, text } of refused)
          expect([status, text]).toEqual([429, expect.stringContaining('is used up')])
        const told = await fetch(`${second}/api/v1/budgets`, { headers })
        expect(await told.json()).toMatchObject([
          {
            limit: { money: 0.2 },
            spent: { money: model.told.output / 10_000 },
            reserved: { money: 0 },
          },
        ])
      } finally {
        model.close()
        await Promise.all(servers.map((server) => server.end('SIGTERM')))
        await database.close()
      }
    })
  },
)

test('FC-100 wrong budgets end the start with one line', async () => {
  await inFolder(async (folder) => {
    for (const [given, what] of [
      ['[{', 'SERVICE_BUDGETS must be JSON, or @ and a file: '],
      ['@/nowhere.json', 'SERVICE_BUDGETS must be JSON, or @ and a file: ENOENT'],
      ['[{"per":"team"}]', 'option "budgets.limits[0].per" must be'],
      ['{"per":"user"}', 'option "budgets.limits" must be an array of budgets'],
    ] as const) {
      const { code, stderr } = await runToEnd({
        SERVICE_CONFIG_DIR: folder,
        SERVICE_DATABASE_URL: 'sqlite::memory:',
        SERVICE_BUDGETS: given,
      })
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([1, 1])
      expect(stderr).toContain(what)
    }
  })
})
