import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { flowBuilder } from '@x/flow-engine/testing'
import { describe, expect, test } from 'vitest'
import { inFolder } from '../server/start-server.ts'
import { blockWith, load, printedBy } from './blocks.ts'

type Handler = (request: Request) => Promise<Response> | Response

const FLOW = new URL('../../examples/in-process-tests/flow.json', import.meta.url)

/** Calls a server that listens, then closes it. */
async function getFrom(
  server: Server,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    return await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  } finally {
    server.close()
  }
}

describe('README.md', () => {
  test('ten lines provision users in an Express app', async () => {
    const code = (await blockWith('README.md', "from 'express'"))
      .replace(/^express\(\)/m, 'export const server = express()')
      .replace('listen(3000)', "listen(0, '127.0.0.1')")
    const { server } = await load<{ server: Server }>('readme-scim', code)
    const headers = { authorization: 'Bearer a-long-random-secret' }
    const response = await getFrom(server, '/api/v1/scim/v2/Users', headers)
    expect([response.status, await response.json()]).toMatchObject([200, { totalResults: 0 }])
  })

  test('ten lines run an exported flow', async () => {
    const code = await blockWith('README.md', "readFile('flow.json'")
    const placed = code.replace("'flow.json'", `new URL('${FLOW.href}')`)
    expect(await printedBy('readme-run', placed)).toEqual(['four'])
  })

  test('ten lines serve the flow API', () =>
    inFolder(async (folder) => {
      const code = (await blockWith('README.md', 'sqliteStorage('))
        .replace("'service.db'", JSON.stringify(join(folder, 'service.db')))
        .replace("'./files'", JSON.stringify(join(folder, 'files')))
        .replace(/^createServer\((.*)\)\.listen\(7860\)/m, (_whole, listener: string) =>
          [
            `export const server = createServer(${listener}).listen(0, '127.0.0.1')`,
            'export { storage, engine }',
          ].join('\n'),
        )
      const { server, engine, storage } = await load<{
        server: Server
        engine: { close(): Promise<void> }
        storage: { close(): Promise<void> }
      }>('readme-serve', code)
      const response = await getFrom(server, '/api/v1/version')
      expect(await response.json()).toMatchObject({ version: '1.7.1' })
      await engine.close()
      await storage.close()
    }))

  test('fifteen lines stream a surface', async () => {
    const { handler } = await load<{ handler: Handler }>(
      'readme-surface',
      await blockWith('README.md', 'createSurfaceChannel'),
    )
    const leave = new AbortController()
    const headers = { accept: 'application/jsonl' }
    const response = await handler(
      new Request('https://app.example/surface', { headers, signal: leave.signal }),
    )
    const piece = await response.body?.pipeThrough(new TextDecoderStream()).getReader().read()
    expect(piece?.value).toContain('"surfaceId":"vote"')
    leave.abort()
  })
})

describe('READMEs of packages', () => {
  test('scim-core', async () => {
    const code = await blockWith('packages/scim-core/README.md', 'createScimHandler')
    const { handler } = await load<{ handler: Handler }>('scim-core', code)
    const headers = { authorization: 'Bearer a-long-random-secret' }
    const address = 'https://app.example/api/v1/scim/v2/Users'
    expect((await handler(new Request(address, { headers }))).status).toBe(200)
    expect((await handler(new Request(address))).status).toBe(401)
  })

  test('flow-engine', async () => {
    const page = 'packages/flow-engine/README.md'
    const { answer } = await load<{ answer: (flow: unknown, input: string) => Promise<string> }>(
      'flow-engine-run',
      await blockWith(page, 'runFlow(flow'),
    )
    expect(await answer(JSON.parse(await readFile(FLOW, 'utf8')), 'two plus two?')).toBe('four')
  })

  test('flow-components', async () => {
    const { answer } = await load<{ answer: (flow: unknown, input: string) => Promise<string> }>(
      'flow-components',
      await blockWith('packages/flow-components/README.md', 'createRegistry(builtinComponents)'),
    )
    const flow = flowBuilder()
    flow.connect(`${flow.add('ChatInput')}.message`, `${flow.add('ChatOutput')}.input_value`)
    expect(await answer(flow.toJSON(), 'hello')).toBe('hello')
  })

  test('flow-python', async () => {
    const { runner } = await load<{ runner: { load: unknown; close(): Promise<void> } }>(
      'flow-python',
      await blockWith('packages/flow-python/README.md', 'createPythonRunner({'),
    )
    expect(runner.load).toBeTypeOf('function')
    await runner.close()
  })

  test('flow-service', async () => {
    const { engine } = await load<{ engine: { handler: Handler; close(): Promise<void> } }>(
      'flow-service',
      await blockWith('packages/flow-service/README.md', 'createFlowService({'),
    )
    const response = await engine.handler(new Request('https://app.example/api/v1/version'))
    expect(response.status).toBe(200)
    await engine.close()
  })

  test('http-adapters', async () => {
    const code = await blockWith('packages/http-adapters/README.md', 'createServer(listener)')
    const { server } = await load<{ server: Server }>(
      'http-adapters',
      code.replace(
        'createServer(listener).listen(3000)',
        "export const server = createServer(listener).listen(0, '127.0.0.1')",
      ),
    )
    const response = await getFrom(server, '/hello?a=b')
    expect(await response.json()).toMatchObject({ url: expect.stringMatching(/\/hello\?a=b$/) })
  })

  test('store-kysely', () =>
    inFolder(async (folder) => {
      const code = await blockWith('packages/store-kysely/README.md', 'migrateScim(db)')
      const { db, store } = await load<{
        db: { destroy(): Promise<void> }
        store: { users: { get(tenant: string, id: string): Promise<unknown> } }
      }>(
        'store-kysely',
        `${code.replace("'./service.db'", JSON.stringify(join(folder, 'service.db')))}\nexport { db, store }\n`,
      )
      expect(await store.users.get('default', 'nobody')).toBeNull()
      await db.destroy()
    }))

  test('surface-protocol', async () => {
    const code = await blockWith('packages/surface-protocol/README.md', 'createSurface(')
    const { handler } = await load<{ handler: (request: Request) => Promise<Response> }>(
      'surface-protocol',
      code,
    )
    const { status, body } = await handler(new Request('http://localhost/'))
    expect(status).toBe(200)
    let text = ''
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.includes('Your name')) break
    }
    expect(text).toContain('Your name')
  })
})
