// Tries flow files of others: npm run wild -- FOLDER [--python] [--details]
// FOLDER has one folder per author. Nothing outside is reached: models and services are those of a fake world.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { builtinComponents } from '@x/flow-components'
import { createCodeRunner, createDocumentReader, createJsonQueries } from '@x/flow-components/node'
import { createCodeRunners } from '@x/flow-engine'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createFakeTools, createFakeWorld } from './fake-world.ts'
import { chooseVariables, fillSettings, type CheckProblem } from './fill-settings.ts'
import { judge, VERDICTS, type Trial, type Verdict } from './judge.ts'

/** Flows may repeat themselves for hours, as their authors wanted. */
const MOST_MS = 60_000
const options = process.argv.slice(2)
const folder = options.find((option) => !option.startsWith('--'))
if (folder === undefined) {
  console.error(
    'Name the folder with the flow files: npm run wild -- FOLDER [--python] [--details]',
  )
  process.exit(2)
}

const named = {
  variables: new Map<string, string>(),
  databases: new Set<string>(),
  collections: new Map<string, boolean>(),
  tools: new Set<string>(),
}
const world = createFakeWorld(named)
const python = options.includes('--python') ? await pythonRunner() : undefined
const script = createCodeRunner({ components: builtinComponents })
const runner = createCodeRunners(python === undefined ? [script] : [script, python])
const environment = anyKey()
const engine = createFlowService({
  store: createMemoryFlowStore(),
  files: createMemoryBlobStore(),
  secretKey: 'only for the flows of this run, in memory',
  authenticate: () => ({
    userId: '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01',
    isSuperuser: true,
    createAs: 'reader',
  }),
  settings: { maxRunsPerDayPerUser: 0 },
  services: {
    environment,
    variables: { get: async (name) => environment[name] ?? null },
    fetch: world,
    mcp: createFakeTools(named),
    jsonQueries: createJsonQueries(),
    documentReader: createDocumentReader(),
    codeRunner: runner,
  },
  onError: () => undefined,
})

const sample = await uploadSample()
const rows: { readonly file: string; readonly verdict: Verdict; readonly why: string }[] = []
for (const file of filesOf(folder)) {
  const trial = await tryFile(file)
  const why = trial.problems?.[0] ?? trial.run?.detail ?? trial.imported.detail
  rows.push({ file: relative(folder, file), verdict: judge(trial), why })
  if (options.includes('--details'))
    console.error(`${rows.length} ${relative(folder, file)}: ${judge(trial)}`)
}
report()
await engine.close()
process.exit(0)

async function tryFile(file: string): Promise<Trial> {
  const flow: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const { data, name = 'A flow' } = flow as { data?: unknown; name?: string }
  fillSettings(data, sample, named)
  const imported = await send('POST', '/flows/', { name: `${name} ${rows.length}`, data })
  if (imported.status !== 201) return { imported }
  const { id } = JSON.parse(imported.detail) as { id: string }
  const checked = await send('GET', `/flows/${id}/problems`)
  const { problems = [] } = JSON.parse(checked.detail) as {
    problems?: readonly CheckProblem[]
  }
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { imported, problems: errors.map(({ message }) => message) }
  const warnings = problems.map(({ message }) => message)
  if (chooseVariables(data, problems))
    await send('PATCH', `/flows/${id}`, { data, name: `${name} ${rows.length}` })
  const signal = AbortSignal.timeout(MOST_MS)
  const run = await send('POST', `/run/${id}?stream=false`, { input_value: 'Hello' }, signal)
  const isLate = signal.aborted
  return { imported, warnings, isLate, run: run.status === 200 ? { status: 200, detail: '' } : run }
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const response = await engine.handler(
    new Request(`http://localhost/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, detail: await response.text() }
}

async function uploadSample(): Promise<string> {
  const form = new FormData()
  form.set('file', new File(['name,age\nAda,36\nGrace,45\n'], 'sample.csv', { type: 'text/csv' }))
  const request = new Request('http://localhost/api/v2/files/', { method: 'POST', body: form })
  const response = await engine.handler(request)
  const { path } = (await response.json()) as { path: string }
  return path
}

/**
 * Every key and token of a vendor is set, and every variable that a flow names; other addresses are not, so
 * that the vendors' own are asked.
 */
function anyKey(): Readonly<Record<string, string>> {
  const valueOf = (name: string | symbol): string | undefined => {
    if (typeof name !== 'string') return undefined
    if (/_(API_?KEY|TOKEN|PASSWORD|SECRET|APIKEY|URI|KEY|ID)$/.test(name)) return `(${name})`
    return named.variables.get(name)
  }
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => valueOf(name),
      has: (_, name) => valueOf(name) !== undefined,
      getOwnPropertyDescriptor: (_, name) => {
        const value = valueOf(name)
        return value === undefined ? undefined : { value, enumerable: true, configurable: true }
      },
    },
  )
}

async function pythonRunner() {
  const { createPythonRunner } = await import('@x/flow-python')
  return createPythonRunner({ timeoutMs: 60_000, memoryMb: 512, fetch: world })
}

function filesOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function report(): void {
  const authors = (list: typeof rows) => new Set(list.map(({ file }) => file.split('/')[0])).size
  console.log(
    `${rows.length} files of ${authors(rows)} authors${python === undefined ? '' : ', with Python'}`,
  )
  for (const verdict of VERDICTS) {
    const those = rows.filter((row) => row.verdict === verdict)
    if (those.length > 0)
      console.log(`${String(those.length).padStart(4)} / ${authors(those)}  ${verdict}`)
  }
  if (!options.includes('--details')) return
  for (const { file, verdict, why } of rows)
    if (verdict !== 'ran whole') console.log(`${file}  ${verdict}: ${why.slice(0, 300)}`)
}
