import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const HOST = `
import { createRegistry, runFlow } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { builtinComponents } from '@x/flow-components'
import { createDocumentReader, createJsonQueries } from '@x/flow-components/node'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createScryptHasher } from '@x/flow-service/node'
import { openSqlite } from '@x/store-kysely/sqlite'

const token = 'a-token-of-the-bundled-host-long-enough'
const password = 'a password of sixteen'
const failed = (error) => error.message
async function main() {
  const baseUrl = 'https://app.example/scim/v2'
  const scim = createScimHandler({ store: createMemoryScimStore(), baseUrl, auth: { kind: 'token', token } })
  const users = await scim(new Request(baseUrl + '/Users', { headers: { authorization: 'Bearer ' + token } }))
  const engine = createFlowService({
    store: createMemoryFlowStore(), files: createMemoryBlobStore(), passwords: createScryptHasher(), secretKey: token,
  })
  await engine.services.users.create({ username: 'admin', password, isActive: true, isSuperuser: true })
  const body = new URLSearchParams({ username: 'admin', password })
  const signedIn = await engine.handler(new Request('http://app.example/api/v1/login', { method: 'POST', body }))
  const flow = flowBuilder()
  flow.connect(flow.add('ChatInput') + '.message', flow.add('ChatOutput') + '.input_value')
  const run = runFlow(flow.toJSON(), { components: createRegistry(builtinComponents), input: 'hello' })
  const caller = { signal: new AbortController().signal }
  const queries = createJsonQueries()
  const documents = createDocumentReader()
  let sqlite
  try { openSqlite(':memory:') } catch (error) { sqlite = failed(error) }
  console.log(JSON.stringify({
    scim: users.status,
    signIn: signedIn.status,
    flow: (await run.result).text(),
    query: await queries.query('.a', { a: 1 }, caller).catch(failed),
    document: await documents.pdf(new Uint8Array([1, 2, 3]), caller).catch(failed),
    sqlite,
  }))
  await Promise.all([engine.close(), queries.close(), documents.close()])
}
main()
`

const FORMATS = ['cjs', 'esm'] as const

// Both take the same way; the second one runs each night.
test.each(FORMATS.slice(0, process.env['NIGHT'] === '1' ? 2 : 1))(
  'HO-45 HO-36 one bundled file (%s), copied elsewhere, works or names the library that is missing',
  async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'x-one-file-'))
    const outfile = join(folder, format === 'cjs' ? 'host.cjs' : 'host.mjs')
    try {
      await build({
        stdin: { contents: HOST, resolveDir: import.meta.dirname },
        bundle: true,
        platform: 'node',
        format,
        conditions: ['@x/source'],
        outfile,
        logLevel: 'error',
        logOverride: { 'empty-import-meta': 'silent' },
      })
      const said = execFileSync(process.execPath, [outfile], { cwd: folder, encoding: 'utf8' })
      expect(JSON.parse(said)).toEqual({
        scim: 200,
        signIn: 200,
        flow: 'hello',
        query:
          'JSON queries need the package jq-wasm beside the bundle: install it there and mark it external',
        document:
          'Documents need the package unpdf beside the bundle: install it there and mark it external',
        sqlite:
          'openSqlite: no SQLite driver can be loaded. Install better-sqlite3 or libsql. If one is installed, a bundler has moved @x/store-kysely: keep it external (Next: serverExternalPackages).',
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
