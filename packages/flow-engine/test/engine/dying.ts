import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import type { JobStore } from '@x/flow-engine/store'
import {
  createRegistry,
  defineComponent,
  field,
  output,
  type Component,
  type FlowJson,
} from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents } from '@x/flow-engine/testing'
import { library, textOf } from './dependencies.ts'

const open: BuildJobs[] = []

export async function closeProcesses(): Promise<void> {
  await Promise.all(open.splice(0).map((jobs) => jobs.close({ timeoutMs: 0 })))
}

/** A process over a store that only one process at a time uses. */
export function processOn(store: JobStore, components: readonly Component[]): BuildJobs {
  const jobs = createBuildJobs({ store, components: createRegistry([...library, ...components]) })
  open.push(jobs)
  return jobs
}

/** Counts its runs; the one of that number never ends, as in a process that dies. */
export function counting(
  type: string,
  options: { idempotent?: boolean; hangs?: number; asks?: boolean; hangsAnswered?: boolean },
) {
  const runs: string[] = []
  let begun = (): void => undefined
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const component = defineComponent({
    type,
    displayName: `${type} one`,
    ...(options.idempotent === undefined ? {} : { idempotent: options.idempotent }),
    inputs: { text: field.handle({ types: ['Message', 'Data', 'DataFrame'] }) },
    outputs: {
      out: output.message({
        run: async ({ text }, ctx) => {
          runs.push(textOf(text))
          const number = runs.length
          const hang = (): Promise<never> => {
            begun()
            return new Promise(() => undefined)
          }
          if (options.hangs === number) await hang()
          if (options.asks === true) {
            const answer = String(await ctx.suspend('sure?'))
            if (options.hangsAnswered === true) await hang()
            return `told ${answer}`
          }
          return `${type} ${number}`
        },
      }),
    },
  })
  return { component, runs, running }
}

/** One process runs the flow until something hangs, another takes it up and brings it to its end. */
export async function takenUp(
  flow: FlowJson,
  components: readonly Component[],
  { running }: { readonly running: Promise<void> },
) {
  const store = createMemoryJobStore()
  const { id } = await processOn(store, components).start({ flow, resumable: true })
  await running
  const jobs = processOn(store, components)
  const recovered = await jobs.recover()
  const events = await collectEvents(jobs.events(id))
  return { id, jobs, recovered, events, result: await jobs.result(id) }
}
