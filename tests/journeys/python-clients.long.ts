import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeSamples } from '../../examples/reference-server/console/code-samples.ts'
import { blocksOf } from '../docs/blocks.ts'
import { createFlow, echoGraph } from './flows.ts'
import { startService, type Service } from './service.ts'

/** A Python that has the packages `mcp` (1.x) and `openai`, and one that has `mcp` (2.x). */
const PYTHON = process.env['CLIENTS_PYTHON'] ?? 'python3'
const PYTHON_2 = process.env['CLIENTS_PYTHON_2'] ?? 'python3'

function canImport(python: string, imports: string): boolean {
  try {
    execFileSync(python, ['-c', imports], { stdio: 'ignore' })
    return true
  } catch {
    console.log(`skipped: ${python} cannot "${imports}"; see CLIENTS_PYTHON, CLIENTS_PYTHON_2`)
    return false
  }
}

/** The output of a script of the material. */
async function run(python: string, script: string): Promise<unknown> {
  const file = fileURLToPath(new URL(`material/${script}`, import.meta.url))
  const args = [file, service.url, service.key, project]
  const { stdout } = await promisify(execFile)(python, args, { timeout: 120_000 })
  return JSON.parse(stdout)
}

const has1 = canImport(
  PYTHON,
  'import openai; from mcp.client.streamable_http import streamablehttp_client',
)
const hasLangChain = canImport(PYTHON, 'import langchain_openai')
const has2 = canImport(PYTHON_2, 'from mcp import Client')

let service: Service
let end: () => Promise<void>
let project: string
beforeAll(async () => {
  ;({ service, end } = await startService({}))
  const made = await service.call('POST', '/api/v1/projects/', { body: { name: 'Tools' } })
  ;({ id: project } = made.json() as { id: string })
  await createFlow(service, {
    name: 'Echo',
    data: echoGraph(),
    endpoint_name: 'parrot',
    folder_id: project,
    mcp_enabled: true,
  })
})
afterAll(() => end())

test.skipIf(!has1)('MC-112 RS-53 Python: mcp 1.x and openai work unchanged', async () => {
  const called = { tools: ['echo'], text: 'from Python', isError: true, progress: true }
  expect(await run(PYTHON, 'clients.py')).toEqual({
    mcp: { streamable: called, sse: called },
    openai: {
      texts: ['one', 'two', 'three'],
      found: 'one',
      items: 1,
      last: 'response.completed',
      gone: true,
      models: expect.arrayContaining(['parrot']),
    },
  })
})

test.skipIf(!has2)('MC-112 Python: mcp 2.x works unchanged in both versions', async () => {
  const called = { tools: ['echo'], text: 'from Python', isError: true }
  expect(await run(PYTHON_2, 'clients_2.py')).toEqual({
    auto: { ...called, version: '2026-07-28' },
    legacy: { ...called, version: '2025-11-25' },
  })
})

/** What a Python block of a guide prints, asked of this service. */
async function printed(code: string): Promise<string> {
  const placed = code
    .replaceAll('https://flows.example', service.url)
    .replaceAll('/PROJECT/', `/${project}/`)
    .replaceAll('YOUR KEY', service.key)
    .replaceAll('sk-...', service.key)
    .replaceAll('"support"', '"parrot"')
    .replaceAll('"refund"', '"echo"')
  const options = { timeout: 120_000, env: { ...process.env, FLOW_API_KEY: service.key } }
  return (await promisify(execFile)(PYTHON, ['-c', placed], options)).stdout.trim()
}

test.skipIf(!has1)(
  'MC-113 RS-54 RS-55 the Python programs of the guides and the console run',
  async () => {
    const [mcp = ''] = await blocksOf('docs/guides/mcp.md', 'python')
    expect(await printed(mcp)).toBe('Order 17')
    const [openAi = ''] = await blocksOf('docs/guides/openai-clients.md', 'python')
    expect(await printed(openAi)).toBe('Where is my parcel?')
    const { python } = codeSamples(service.url, { id: '', endpoint_name: 'parrot' })
    expect(await printed(python)).toBe('Hello')
  },
)

test.skipIf(!hasLangChain)('RS-54 LangChain calls a flow', async () => {
  const [, langChain = ''] = await blocksOf('docs/guides/openai-clients.md', 'python')
  expect(await printed(langChain)).toBe('Where is my parcel?')
})
