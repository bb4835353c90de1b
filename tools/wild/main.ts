// Tries flow files of others: npm run wild -- FOLDER [--python] [--wheels FOLDER] [--reference PYTHON] [--details]
// With --reference what ran whole also runs in the engine of that Python, and what differs is counted.
// FOLDER has one folder per author. Nothing outside is reached: models and services are those of a fake world.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { builtinComponents } from '@x/flow-components'
import { createCodeRunner, createDocumentReader, createJsonQueries } from '@x/flow-components/node'
import { createCodeRunners } from '@x/flow-engine'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createFakeTools, createFakeWorld, fakeRedis } from './fake-world.ts'
import { chooseVariables, fillSettings, type CheckProblem } from './fill-settings.ts'
import { differences, SAMPLE, saidOf, startReference, withKeys } from './reference.ts'
import { judge, VERDICTS, type Trial, type Verdict } from './judge.ts'

/** Flows may repeat themselves for hours, as their authors wanted. */
const MOST_MS = 60_000
const options = process.argv.slice(2)
const referencePython = valueOf('--reference')
const wheels = valueOf('--wheels')
const folder = options.find((option) => !option.startsWith('--'))
if (folder === undefined) {
  console.error(
    'Name the folder with the flow files: npm run wild -- FOLDER [--python] [--wheels FOLDER] [--reference PYTHON] [--details]',
  )
  process.exit(2)
}

const named = {
  variables: new Map<string, string>(),
  databases: new Set<string>(),
  collections: new Map<string, boolean>(),
  tools: new Set<string>(),
}
const asked: string[] = []
const world = createFakeWorld(named, asked)
const takeAsked = (): readonly string[] => asked.splice(0)
const reference =
  referencePython === undefined ? null : await startReference(referencePython, world, takeAsked)
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
    redis: fakeRedis,
    jsonQueries: createJsonQueries(),
    documentReader: createDocumentReader(),
    codeRunner: runner,
  },
  onError: () => undefined,
})

const sample = await uploadSample()
interface Row {
  readonly file: string
  readonly verdict: Verdict
  readonly why: string
  readonly apart: Trial['apart']
}
const rows: Row[] = []
for (const file of filesOf(folder)) {
  const trial = await tryFile(file)
  const why = trial.problems?.[0] ?? trial.run?.detail ?? trial.imported.detail
  rows.push({ file: relative(folder, file), verdict: judge(trial), why, apart: trial.apart })
  if (options.includes('--details'))
    console.error(`${rows.length} ${relative(folder, file)}: ${judge(trial)}`)
}
report()
reference?.close()
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
  takeAsked()
  const request = { input_value: 'Hello', session_id: `session ${rows.length}`, output_type: 'any' }
  const run = await send('POST', `/run/${id}?stream=false`, request, signal)
  const apart = run.status === 200 ? await compare(data, run.detail) : undefined
  const isLate = signal.aborted
  const ended = run.status === 200 ? { status: 200, detail: '' } : run
  return { imported, warnings, isLate, run: ended, apart }
}

/** What differs from the reference; undefined without one, a text if it cannot run the flow. */
async function compare(data: unknown, response: string): Promise<Trial['apart']> {
  if (reference === null) return undefined
  const ours = { said: saidOf(response), asked: takeAsked() }
  const theirs = await reference.run(withKeys(data, environment), 'Hello')
  return typeof theirs === 'string' ? theirs : differences(ours, theirs)
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
  form.set('file', new File([SAMPLE], 'sample.csv', { type: 'text/csv' }))
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
  const found = (name: string | symbol): string | undefined => {
    if (typeof name !== 'string') return undefined
    if (/_(API_?KEY|TOKEN|PASSWORD|SECRET|APIKEY|URI|KEY|ID)$/.test(name)) return `(${name})`
    return named.variables.get(name)
  }
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => found(name),
      has: (_, name) => found(name) !== undefined,
      getOwnPropertyDescriptor: (_, name) => {
        const value = found(name)
        return value === undefined ? undefined : { value, enumerable: true, configurable: true }
      },
    },
  )
}

function valueOf(option: string): string | undefined {
  const at = options.indexOf(option)
  return at < 0 ? undefined : options.splice(at, 2)[1]
}

async function pythonRunner() {
  const { createPythonRunner } = await import('@x/flow-python')
  return createPythonRunner({
    timeoutMs: 60_000,
    memoryMb: 512,
    fetch: world,
    ...(wheels === undefined ? {} : { wheels }),
  })
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
  if (reference !== null) reportReference()
  if (!options.includes('--details')) return
  for (const { file, verdict, why } of rows)
    if (verdict !== 'ran whole') console.log(`${file}  ${verdict}: ${why.slice(0, 300)}`)
}

function reportReference(): void {
  const wrong = rows.filter(({ apart }) => Array.isArray(apart) && apart.length > 0)
  const same = rows.filter(({ apart }) => Array.isArray(apart) && apart.length === 0)
  const not = rows.filter(({ apart }) => typeof apart === 'string')
  console.log(
    `against the reference: ${same.length} alike, ${wrong.length} apart, ${not.length} not run by it`,
  )
  for (const { file, apart } of wrong)
    console.log(`${file}  apart: ${[apart].flat().join('\n    ')}`)
  if (!options.includes('--details')) return
  for (const { file, apart } of not)
    console.log(`${file}  not run by the reference: ${String(apart)}`)
}
