import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { toFetch, type FetchHandler } from '@x/http-adapters'
import { honoHandler } from '@x/http-adapters/hono'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { Hono } from 'hono'
import { handle as lambda, type LambdaEvent } from 'hono/aws-lambda'
import { describe, expect, test } from 'vitest'
import {
  express4Mount,
  expressMount,
  fastifyMount,
  honoMount,
  koaMount,
  nextMount,
  nodeMount,
} from '../../packages/http-adapters/test/mounts.ts'

const TOKEN = 'a-token-of-the-mounts-long-enough-to-be-one'

interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** What hosts add, and what is new in each answer. */
const OF_HOSTS =
  /^(date|connection|keep-alive|vary|transfer-encoding|content-length|x-request-id|x-powered-by)$/

async function shown(response: Response): Promise<unknown> {
  const body = await response.text()
  const isEmpty = body === ''
  const headers = [...response.headers].filter(
    ([name]) => !OF_HOSTS.test(name) && !(isEmpty && name === 'content-type'),
  )
  return {
    status: response.status,
    body,
    headers: headers.toSorted(([a], [b]) => a.localeCompare(b)),
  }
}

const headersOf = ({ body }: Ask): Record<string, string> => ({
  authorization: `Bearer ${TOKEN}`,
  host: 'app.example',
  'accept-encoding': 'identity',
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
})

/** An event of API Gateway 1.0, and of a function URL or API Gateway 2.0. */
const lambdaEvents: Record<string, (ask: Ask) => object> = {
  '1.0': (ask) => ({
    version: '1.0',
    resource: '/{proxy+}',
    httpMethod: ask.method,
    path: ask.path,
    headers: headersOf(ask),
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    requestContext: { domainName: 'app.example', identity: {} },
    body: ask.body ?? null,
    isBase64Encoded: false,
  }),
  '2.0': (ask) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: ask.path,
    rawQueryString: '',
    headers: headersOf(ask),
    requestContext: {
      domainName: 'app.example',
      http: { method: ask.method, path: ask.path, sourceIp: '127.0.0.1' },
    },
    ...(ask.body === undefined ? {} : { body: ask.body }),
    isBase64Encoded: false,
  }),
}

interface LambdaAnswer {
  readonly statusCode: number
  readonly headers?: Record<string, string>
  readonly multiValueHeaders?: Record<string, string[]>
  readonly body: string
  readonly isBase64Encoded: boolean
}

async function askLambda(handler: FetchHandler, form: string, ask: Ask): Promise<unknown> {
  const invoke = lambda(new Hono().all('*', honoHandler(handler)))
  const event = lambdaEvents[form]?.(ask)
  const given = (await invoke(event as LambdaEvent)) as unknown as LambdaAnswer
  const headers = new Headers(given.headers)
  for (const [name, values] of Object.entries(given.multiValueHeaders ?? {}))
    for (const value of values) headers.append(name, value)
  const body = Buffer.from(given.body, given.isBase64Encoded ? 'base64' : 'utf8')
  const isEmpty = [204, 304].includes(given.statusCode)
  return shown(new Response(isEmpty ? null : body, { status: given.statusCode, headers }))
}

const servers = [
  express4Mount,
  expressMount,
  fastifyMount,
  honoMount,
  koaMount,
  nextMount,
  nodeMount,
]

describe.each(['', '/flows', '/a/b/c'])('HO-43 HO-40 below "%s"', (base) => {
  const asks: Ask[] = [
    { method: 'GET', path: `${base}/api/v1/version` },
    { method: 'GET', path: `${base}/api/v1/version/` },
    { method: 'GET', path: `${base}/api/v1/flows` },
    { method: 'POST', path: `${base}/api/v1/flows/`, body: '{"data":' },
    { method: 'GET', path: `${base}/api/v1/nothing` },
    { method: 'GET', path: `${base || '/'}x/api/v1/version` },
    { method: 'GET', path: `/elsewhere${base}/api/v1/version` },
    { method: 'GET', path: `${base}/scim/v2/Users` },
    { method: 'GET', path: `${base}/scim/v2/Users/` },
    { method: 'POST', path: `${base}/scim/v2/Users`, body: '{"userName":7}' },
    { method: 'GET', path: `${base}/scim/v2/nothing` },
  ]

  test('every host answers as the handlers do', { tags: ['long'] }, async () => {
    const engine = createFlowService({
      store: createMemoryFlowStore(),
      files: createMemoryBlobStore(),
      secretKey: TOKEN,
      ...(base === '' ? {} : { basePath: base }),
    })
    const scim = createScimHandler({
      store: createMemoryScimStore(),
      baseUrl: `http://app.example${base}/scim/v2`,
      auth: { kind: 'token', token: TOKEN },
    })
    const handler: FetchHandler = async (request, context) =>
      new URL(request.url).pathname.startsWith(`${base}/scim/v2`)
        ? await scim(request)
        : await engine.handler(request, context)
    const plain = toFetch(handler)
    const expected = await Promise.all(
      asks.map(async (ask) => {
        const init = {
          method: ask.method,
          headers: headersOf(ask),
          ...(ask.body === undefined ? {} : { body: ask.body }),
        }
        return shown(await plain(new Request(`http://app.example${ask.path}`, init)))
      }),
    )
    expect(expected).toContainEqual(expect.objectContaining({ status: 200 }))
    for (const mount of servers) {
      const server = await mount.start(handler, {}, '/')
      try {
        const given = []
        for (const ask of asks) {
          const response = await fetch(`http://127.0.0.1:${server.port}${ask.path}`, {
            method: ask.method,
            headers: headersOf(ask),
            redirect: 'manual',
            ...(ask.body === undefined ? {} : { body: ask.body }),
          })
          given.push(await shown(response))
        }
        expect([mount.name, given]).toEqual([mount.name, expected])
      } finally {
        await server.stop()
      }
    }
    for (const form of Object.keys(lambdaEvents))
      for (const [index, ask] of asks.entries())
        expect([form, ask.path, await askLambda(handler, form, ask)]).toEqual([
          form,
          ask.path,
          expected[index],
        ])
    await engine.close()
  })
})
