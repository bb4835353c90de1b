import {
  createBuildJobs,
  createData,
  defineComponent,
  output,
  type BuildJobsOptions,
} from '@x/flow-engine'
import { apiRequest } from '@x/flow-components'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createDocumentReader } from '@x/flow-components/node'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { serveHost } from './serve-host.ts'

/** A component without inputs that does what it is told. */
const source = (type: string, act: (signal: AbortSignal) => unknown) =>
  defineComponent({
    type,
    inputs: {},
    outputs: {
      data: output.data({
        run: async (_inputs, { signal }) => createData({ value: await act(signal) }),
      }),
    },
  })

const flowOf = (...components: readonly ReturnType<typeof source>[]) => {
  const builder = flowBuilder()
  for (const component of components) builder.add(component)
  return builder.toJSON()
}

/** A run with this time limit; how it ends, or why it is refused. */
async function limits(body: string): Promise<string> {
  const quick = source('Quick', () => new Promise((resolve) => setTimeout(resolve, 30)))
  const told = JSON.parse(body) as unknown
  const ms = (told === 'Infinity' ? Infinity : told) as number
  try {
    const components = createRegistry([quick])
    const wanted = { runTimeoutMs: ms, vertexTimeoutMs: ms }
    return (await runFlow(flowOf(quick), { components, limits: wanted }).result).status
  } catch (error) {
    return String(error)
  }
}

function lease(body: string): string {
  try {
    createBuildJobs(JSON.parse(body) as BuildJobsOptions)
    return 'taken'
  } catch (error) {
    return String(error)
  }
}

/** A job whose log cannot be written while it runs; mended once its run has been cancelled. */
async function brokenLog(): Promise<{ readonly later: number; readonly state: string }> {
  let later = 0
  let aborted = (): void => undefined
  const isAborted = new Promise<void>((resolve) => (aborted = resolve))
  const waiting = source('Waiting', async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    aborted()
    throw signal.reason
  })
  const store = createMemoryJobStore()
  let isBroken = true
  const append: typeof store.log.append = async (...parameters) => {
    if (isBroken) throw new Error('The disk is full')
    return store.log.append(...parameters)
  }
  const components = createRegistry([waiting, source('Later', () => (later += 1))])
  const log = { ...store.log, append }
  const jobs = createBuildJobs({ components, store: { ...store, log } })
  const { id } = await jobs.start({ flow: flowOf(waiting), resumable: true })
  await isAborted
  isBroken = false
  for (;;) {
    const state = (await jobs.get(id))?.state ?? 'gone'
    if (state !== 'queued' && state !== 'running') return { later, state }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Lets a component call an address, with the library's own fetch; what came of it. */
async function reach(body: string): Promise<string> {
  const { url, allowPrivate } = JSON.parse(body) as { url: string; allowPrivate: boolean }
  try {
    const inputs = { url_input: url, urls: [url], method: 'GET' }
    return JSON.stringify(await testComponent(apiRequest, { inputs, allowPrivate }))
  } catch (error) {
    return String(error)
  }
}

const documentReader = createDocumentReader()

/** Reads a document that comes in base64 by the worker threads of the package. */
async function read(body: string): Promise<unknown> {
  const bytes = new Uint8Array(Buffer.from(body, 'base64'))
  const { signal } = new AbortController()
  const isPdf = Buffer.from(bytes).toString('latin1', 0, 4) === '%PDF'
  return isPdf ? documentReader.pdf(bytes, { signal }) : documentReader.sheet(bytes, { signal })
}

serveHost({ limits, lease, brokenLog, reach, read })
