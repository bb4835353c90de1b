import { describe, expect, test } from 'vitest'
import { inFolder, startServer, type Environment, type Started } from '../server/start-server.ts'

interface PrintedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const spansOf = (server: Started): PrintedSpan[] =>
  [...server.output().matchAll(/^span (.+)$/gm)].map(
    ([, json = '']) => JSON.parse(json) as PrintedSpan,
  )

async function withServer(
  environment: Environment,
  use: (server: Started, apiKey: string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const server = await startServer({ SERVICE_CONFIG_DIR: folder, ...environment })
    try {
      await use(server, /^API key: (\S+)/m.exec(server.output())?.[1] ?? '')
    } finally {
      await server.end('SIGTERM')
    }
  })
}

const NODE_OPTIONS = `--import ${new URL('print-spans.mjs', import.meta.url).href}`
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`

describe('OP-2 OpenTelemetry traces of the server', () => {
  test('a request with traceparent, its run and its vertices form one trace', () =>
    withServer({ SERVICE_OTEL: 'true', NODE_OPTIONS }, async (server, apiKey) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', traceparent }
      const body = '{"input_value":"hello"}'
      const url = `${server.url}/api/v1/run/echo`
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
      await expect.poll(() => spansOf(server).map(({ name }) => name)).toContain('invoke_workflow')
      await expect
        .poll(() => spansOf(server).map(({ name }) => name))
        .toContain('POST /api/v1/run/{flow_id_or_name}')
      const all = spansOf(server).filter(({ traceId }) => traceId === TRACE)
      const [request] = all.filter(({ name }) => name.startsWith('POST '))
      expect(request?.parentId).toBe('b7ad6b7169203331')
      const [run] = all.filter(({ name }) => name === 'invoke_workflow')
      expect(run?.parentId).toBe(request?.spanId)
      const vertices = all.filter(({ name }) => name.startsWith('vertex '))
      expect(vertices.map(({ name }) => name).toSorted()).toEqual([
        'vertex ChatInput',
        'vertex ChatOutput',
        'vertex Prompt Template',
      ])
      expect(vertices.every(({ parentId }) => parentId === run?.spanId)).toBe(true)
      expect(JSON.stringify(all)).not.toContain('hello')
    }))

  test('a missing SDK is logged and requests still work; tracing is off by default', async () => {
    await withServer({ SERVICE_OTEL: 'true' }, async (server) => {
      expect(server.output()).toContain('no OpenTelemetry SDK is registered')
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
    })
    await withServer({ NODE_OPTIONS }, async (server, apiKey) => {
      const headers = { 'x-api-key': apiKey, traceparent }
      expect((await fetch(`${server.url}/api/v1/flows/`, { headers })).status).toBe(200)
      expect(spansOf(server)).toEqual([])
    })
  })
})
