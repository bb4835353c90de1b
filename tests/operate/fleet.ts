import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { apiRequest, openAiModel } from '@x/flow-components'
import { createFlow } from '@x/flow-engine'
import { chatInput, chatOutput, parser, promptTemplate } from '@x/flow-engine/components'
import { expect } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer, type Environment, type Started } from '../server/start-server.ts'

export const LEASE_MS = 3000

/** A shop that counts its orders, and a model whose answers may be held back. */
export interface Outside {
  readonly url: string
  /** One line for each order. */
  readonly orders: readonly string[]
  /** Calls of the model up to now. */
  readonly calls: () => number
  /** Calls that wait for their answer. */
  readonly waiting: () => number
  /** Calls whose client closed them before they had an answer. */
  readonly left: () => number
  /** Holds answers back from now on. */
  readonly hold: () => void
  readonly letGo: () => void
}

async function startOutside(): Promise<Outside & { close(): void }> {
  const orders: string[] = []
  const waiting = new Set<ServerResponse>()
  const seen = { calls: 0, left: 0, holds: false }
  const message = { role: 'assistant', content: 'It is ordered' }
  const answer = { id: 'a', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const reply = (response: ServerResponse, body: object): void => {
    waiting.delete(response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/order') {
      orders.push(request.method ?? '')
      reply(response, { order: orders.length })
      return
    }
    seen.calls += 1
    if (!seen.holds) {
      reply(response, answer)
      return
    }
    waiting.add(response)
    response.on('close', () => {
      if (waiting.delete(response)) seen.left += 1
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    calls: () => seen.calls,
    waiting: () => waiting.size,
    left: () => seen.left,
    hold: () => void (seen.holds = true),
    letGo() {
      seen.holds = false
      for (const response of waiting) reply(response, answer)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The file of a flow that orders once, then asks the model. */
export function ordering(url: string): string {
  const flow = createFlow('ordering')
  const order = flow.add(apiRequest, { values: { url_input: `${url}/order`, method: 'POST' } })
  const text = flow.add(parser, { values: { mode: 'Stringify' } })
  const prompt = flow.add(promptTemplate, {
    values: { template: '{question} {order}' },
    fields: { question: '', order: '' },
  })
  const model = flow.add(openAiModel, {
    values: { openai_api_base: `${url}/v1`, api_key: 'MODEL_KEY', max_retries: 0 },
  })
  flow
    .connect(order.outputs.data, text.inputs.input_data)
    .connect(text.outputs.parsed_text, prompt.input('order'))
    .connect(flow.add(chatInput).outputs.message, prompt.input('question'))
    .connect(prompt.outputs.prompt, model.inputs.input_value)
    .connect(model.outputs.text_output, flow.add(chatOutput).inputs.input_value)
  return JSON.stringify(flow)
}

export interface Fleet {
  readonly outside: Outside
  readonly address: string
  /** Id of the flow that orders and asks the model. */
  readonly flow: string
  /** Id of a flow that may run twice anywhere. */
  readonly echo: string
  readonly headers: Readonly<Record<string, string>>
  readonly start: (environment?: Environment) => Promise<Started>
  /** Starts a build and gives the id of its job. */
  readonly build: (server: Started, flow?: string) => Promise<string>
  /** The whole stream of a build. */
  readonly events: (server: Started, jobId: string) => Promise<string>
}

/** A first server that serves, its flow, and as many more on the same PostgreSQL as a test starts. */
export async function withFleet(
  use: (fleet: Fleet, first: Started) => Promise<void>,
  environment: Environment = {},
): Promise<void> {
  await inFolder(async (folder) => {
    const database = await postgresDatabase()
    const outside = await startOutside()
    const running: Started[] = []
    const start: Fleet['start'] = async (more = {}) => {
      const server = await startServer({
        SERVICE_CONFIG_DIR: join(folder, 'shared'),
        SERVICE_DATABASE_URL: database.address,
        SERVICE_SECRET_KEY: 'a secret that all of them are given',
        SERVICE_SSRF_ALLOW: '127.0.0.1',
        SERVICE_LEASE_SECONDS: String(LEASE_MS / 1000),
        SERVICE_DATABASE_STATEMENT_SECONDS: '2',
        ...environment,
        ...more,
      })
      running.push(server)
      return server
    }
    try {
      const first = await start()
      const key = /^API key: (\S+)/m.exec(first.output())?.[1] ?? ''
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const post = async (url: string, body: string): Promise<Record<string, string>> => {
        const answer = await fetch(url, { method: 'POST', headers, body })
        expect(answer.ok).toBe(true)
        return (await answer.json()) as Record<string, string>
      }
      const variable = { name: 'MODEL_KEY', value: 'sk-any', type: 'Credential' }
      await post(
        `${first.url}/api/v1/variables/`,
        JSON.stringify({ ...variable, default_fields: [] }),
      )
      const flows = await fetch(`${first.url}/api/v1/flows/?remove_example_flows=true`, { headers })
      const [{ id: echo } = { id: '' }] = (await flows.json()) as { readonly id: string }[]
      const { id: flow = '' } = await post(`${first.url}/api/v1/flows/`, ordering(outside.url))
      const fleet: Fleet = {
        outside,
        address: database.address,
        flow,
        headers,
        start,
        echo,
        async build({ url }, id = flow) {
          const body = JSON.stringify({ inputs: { input_value: 'One, please' } })
          const { job_id: jobId = '' } = await post(`${url}/api/v1/build/${id}/flow`, body)
          return jobId
        },
        async events({ url }, jobId) {
          const path = `/api/v1/build/${jobId}/events?event_delivery=streaming`
          return (await fetch(url + path, { headers })).text()
        },
      }
      await use(fleet, first)
    } finally {
      outside.close()
      await Promise.all(running.map((server) => server.end('SIGKILL')))
      await database.close()
    }
  })
}

/** All vertices were built, each once as far as its readers see, and the build ended once. */
export function expectOnce(events: string, vertices = 6): void {
  const count = (text: string): number => events.split(text).length - 1
  expect(/"event": "error".*/.exec(events)?.[0]).toBeUndefined()
  expect(count('"event": "end"')).toBe(1)
  expect(count('"event": "end_vertex"')).toBe(vertices)
}
