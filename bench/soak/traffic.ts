import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import type { Client } from './client.ts'

/** One kind of work that clients do over and over; it throws what nobody can explain. */
export type Traffic = (client: Client, n: number) => Promise<void>

export const SCIM_TOKEN = 'a-token-of-the-directory-long-enough'
const SCIM = '/api/v1/scim/v2'
const DIRECTORY = {
  authorization: `Bearer ${SCIM_TOKEN}`,
  'content-type': 'application/scim+json',
}
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Saves a chat flow that asks a model and gives its id. */
export async function saveModelFlow(client: Client): Promise<string> {
  const components = createRegistry(builtinComponents)
  const of = (type: string) => {
    const found = components.get(type)
    if (found === undefined) throw new TypeError(`No component ${type}`)
    return found
  }
  const flow = flowBuilder()
  const input = flow.add(of('ChatInput'))
  const model = flow.add(of('OpenAIModel'), {
    values: { model_name: 'gpt-4o-mini', api_key: 'OPENAI_API_KEY' },
  })
  const output = flow.add(of('ChatOutput'))
  flow.connect(`${input}.message`, `${model}.input_value`)
  flow.connect(`${model}.text_output`, `${output}.input_value`)
  const { data } = flow.toJSON()
  const body = { name: `soak ${Date.now()}`, data }
  return (await client.ask<{ id: string }>('POST', '/api/v1/flows/', { body, status: 201 })).id
}

/** Every kind of traffic against one server. */
export function trafficOf(flow: string): Readonly<Record<string, Traffic>> {
  const run = (client: Client, input_value: string, status = 200) =>
    client.ask('POST', `/api/v1/run/${flow}?stream=false`, { body: { input_value }, status })
  const build = (client: Client, input_value: string, delivery: string) =>
    client.ask<{ job_id: string }>(
      'POST',
      `/api/v1/build/${flow}/flow?event_delivery=${delivery}`,
      { body: { inputs: { input_value } } },
    )
  return {
    'run of echo': async (client) => {
      await client.ask('POST', '/api/v1/run/echo', { body: { input_value: 'hello' } })
    },
    'run with a model': async (client) => {
      await run(client, 'hello')
    },
    'run whose model fails': async (client) => {
      await run(client, 'refuse', 500)
    },
    'build, read to its end': async (client) => {
      const text: unknown = await build(client, 'hello', 'direct')
      if (!String(text).includes('"event": "end"') && !String(text).includes('"event":"end"'))
        throw new Error(`A build without an end: ${String(text).slice(-200)}`)
    },
    'build whose reader leaves': async (client) => {
      const { job_id: job } = await build(client, 'slowly', 'streaming')
      await client.peek(`/api/v1/build/${job}/events?event_delivery=streaming`)
    },
    'flow made, read, deleted': async (client, n) => {
      const body = { name: `made ${n}`, data: { nodes: [], edges: [] } }
      const { id } = await client.ask<{ id: string }>('POST', '/api/v1/flows/', {
        body,
        status: 201,
      })
      await client.ask('GET', `/api/v1/flows/${id}`)
      await client.ask('DELETE', `/api/v1/flows/${id}`)
    },
    'file uploaded, deleted': async (client, n) => {
      const body = new FormData()
      body.set('file', new File(['x'.repeat(100_000)], `file-${n}.txt`))
      const { id } = await client.ask<{ id: string }>('POST', '/api/v2/files', {
        body,
        status: 201,
      })
      await client.ask('DELETE', `/api/v2/files/${id}`)
    },
    'list of flows': async (client) => {
      await client.ask('GET', '/api/v1/flows/?get_all=true&header_flows=true')
    },
    'SCIM user made, changed, found, removed': async (client, n) => {
      const headers = DIRECTORY
      const body = JSON.stringify({ userName: `soak-${n}@corp.example`, active: true })
      const { id } = await client.ask<{ id: string }>('POST', `${SCIM}/Users`, {
        headers,
        body,
        status: 201,
      })
      const change = {
        schemas: [PATCH_OP],
        Operations: [{ op: 'replace', value: { active: false } }],
      }
      await client.ask('PATCH', `${SCIM}/Users/${id}`, { headers, body: JSON.stringify(change) })
      const filter = encodeURIComponent(`userName eq "soak-${n}@corp.example"`)
      await client.ask('GET', `${SCIM}/Users?filter=${filter}`, { headers })
      await client.ask('DELETE', `${SCIM}/Users/${id}`, { headers, status: 204 })
    },
    'surface seen and pressed': async (client) => {
      await client.peek('/surfaces/demo/stream', { accept: 'text/event-stream' })
      const press = {
        name: 'count',
        surfaceId: 'demo',
        sourceComponentId: 'count-button',
        timestamp: new Date().toISOString(),
        context: {},
      }
      await client.ask('POST', '/surfaces/demo/events', {
        body: { userAction: press },
        status: 202,
      })
    },
    'connection killed in its request': (client) => killed(client, 'POST /api/v1/run/echo', 1000),
    'connection killed in its answer': (client) => killed(client, 'GET /openapi.json', 0),
  }
}

/** Sends a request, with less of a body than it says, and is gone. */
async function killed({ url }: Client, line: string, length: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(`${line} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${length}\r\n\r\n{"a":`)
  await setTimeout(20)
  socket.resetAndDestroy()
  await setTimeout(300)
}
