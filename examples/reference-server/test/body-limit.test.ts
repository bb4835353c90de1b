import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { afterEach, describe, expect, test } from 'vitest'

const TOKEN = 'a-token-of-the-tests'
const LIMIT = 100

const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function listen(handler: (request: Request) => Promise<Response>): Promise<number> {
  const server = createServer(toNodeListener((incoming) => handler(incoming), { bodyLimit: LIMIT }))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** With its length announced, or in chunks. */
function post(
  port: number,
  path: string,
  { body, announced }: { readonly body: string; readonly announced: boolean },
): Promise<{ readonly status: number | undefined; readonly json: unknown }> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    connection: 'close',
    ...(announced && { 'content-length': body.length }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path, method: 'POST', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode, json: JSON.parse(text) }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const body = JSON.stringify({ userName: 'x'.repeat(LIMIT) })

describe('AD-16 an adapter body limit below that of the core gives a 413 in the error format of the core', () => {
  test.each([true, false])('SCIM, length announced: %s', async (announced) => {
    const errors: unknown[] = []
    const scim = createScimHandler({
      store: createMemoryScimStore(),
      baseUrl: 'http://127.0.0.1/scim/v2',
      auth: { kind: 'token', token: TOKEN },
      onError: (error) => errors.push(error),
    })
    const answer = await post(await listen(scim), '/scim/v2/Users', { body, announced })
    expect(answer).toMatchObject({ status: 413, json: { status: '413' } })
    expect(JSON.stringify(answer.json)).toContain(String(LIMIT))
    expect(errors).toEqual([])
  })

  test.each([true, false])('the flow API, length announced: %s', async (announced) => {
    const errors: unknown[] = []
    const engine = createFlowService({
      store: createMemoryFlowStore(),
      files: createMemoryBlobStore(),
      secretKey: 'a secret of at least 32 characters',
      authenticate: () => ({
        userId: '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01',
        isSuperuser: true,
        createAs: 'ada',
      }),
      onError: (error) => errors.push(error),
    })
    closers.push(() => engine.close())
    const port = await listen((incoming) => engine.handler(incoming))
    const answer = await post(port, '/api/v1/flows/', { body, announced })
    expect(answer).toMatchObject({ status: 413, json: { detail: expect.any(String) } })
    expect(errors).toEqual([])
  })
})
