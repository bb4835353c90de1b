import { expect } from 'vitest'
import {
  createRegistry,
  defineComponent,
  field,
  output,
  type Component,
  type ComponentContext,
} from '@x/flow-engine'
import {
  createBuildJobs,
  type BuildJobs,
  type BuildJobsOptions,
  type BuildRequest,
} from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { library } from '../engine/dependencies.ts'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import type { JobStore } from '@x/flow-engine/store'

const open: BuildJobs[] = []

/** Leaves jobs to `closeAll`. */
export function closeLater(jobs: BuildJobs): void {
  open.push(jobs)
}

/** Closes what was left to it; each test that makes jobs calls it at its end. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((jobs) => jobs.close({ timeoutMs: 0 })))
}

type Run = (ctx: ComponentContext) => Promise<string>

export function component(type: string, run: Run, facts: { idempotent?: boolean } = {}) {
  return defineComponent({
    type,
    ...facts,
    inputs: { text: field.handle({ types: ['Message'] }) },
    outputs: { out: output.message({ run: (_inputs, ctx) => run(ctx) }) },
  })
}

export type Made = Component

export function processOf(components: readonly Made[], options: BuildJobsOptions = {}): BuildJobs {
  const registry = createRegistry([...library, ...components])
  const jobs = createBuildJobs({ components: registry, ...options })
  open.push(jobs)
  return jobs
}

/** A flow of these components, none connected; ids are `<type>-1`. */
export function flowOf(...components: readonly Made[]) {
  const flow = flowBuilder()
  for (const one of components) flow.add(one, { id: `${one.type}-1` })
  return flow.toJSON()
}

export const begin = (
  jobs: BuildJobs,
  components: readonly Made[],
  more: Partial<BuildRequest> = {},
) => jobs.start({ flow: flowOf(...components), resumable: true, outputType: 'debug', ...more })

/** Resolves when the job is in that state. */
export async function state(jobs: BuildJobs, id: string, wanted: string): Promise<void> {
  await expect.poll(async () => (await jobs.get(id))?.state).toBe(wanted)
}

/** A store that several processes serve at once. */
export function sharedStore(): JobStore {
  const store = createMemoryJobStore()
  return { ...store, queue: { ...store.queue, shared: true } }
}
