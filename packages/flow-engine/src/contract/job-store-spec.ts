import assert from 'node:assert/strict'
import type { JobStore } from '../store/job-store.ts'
import { describeJobList } from './job-list-spec.ts'
import { describeJobLeases } from './job-lease-spec.ts'
import { describeJobLog } from './job-log-spec.ts'
import { describeJobQueue } from './job-queue-spec.ts'
import { describeSuspensions } from './job-suspensions-spec.ts'
import { describeSchedules } from './schedules-spec.ts'
import type { ContractOptions, TestFrame } from './test-frame.ts'

/** Options of the job store contract. */
export interface JobStoreContractOptions extends ContractOptions<JobStore> {
  /** False for a store without `schedules`. Default true. */
  readonly schedules?: boolean
}

/** Defines the tests of a job store: queue, log, bus, checkpoints and schedules. */
export function defineJobStoreContract(t: TestFrame, options: JobStoreContractOptions): void {
  t.describe(`job store: ${options.name}`, () => {
    let store: JobStore
    t.beforeEach(async () => {
      store = await options.create()
    })
    t.afterEach(async () => {
      await options.destroy?.(store)
    })
    const current = (): JobStore => store
    describeJobQueue(t, current)
    describeSuspensions(t, current)
    describeJobLeases(t, current)
    describeJobLog(t, current)
    describeBus(t, current)
    describeCheckpoints(t, current)
    describeJobList(t, current)
    if (options.schedules !== false) describeSchedules(t, current)
  })
}

function describeBus(t: TestFrame, store: () => JobStore): void {
  t.it('wakes the subscribers of a channel until they leave', async () => {
    const { bus } = store()
    const seen: string[] = []
    let arrived = (): void => undefined
    const first = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const leave = bus.subscribe('c', (payload) => {
      seen.push(payload)
      arrived()
    })
    bus.publish('other', 'no')
    bus.publish('c', 'yes')
    await first
    leave()
    bus.publish('c', 'late')
    assert.deepEqual(seen, ['yes'])
  })
}

function describeCheckpoints(t: TestFrame, store: () => JobStore): void {
  t.it('FE-63 keeps the last state of each vertex in the order of the first', async () => {
    const { checkpoints } = store()
    await checkpoints.put('j', 'v2', '1')
    await checkpoints.put('j', 'v1', '2')
    await checkpoints.put('j', 'v2', '3')
    await checkpoints.put('other', 'v1', '4')
    assert.deepEqual(await checkpoints.list('j'), [
      { vertexId: 'v2', state: '3' },
      { vertexId: 'v1', state: '2' },
    ])
    await checkpoints.remove('j')
    assert.deepEqual(await checkpoints.list('j'), [])
    assert.equal((await checkpoints.list('other')).length, 1)
  })
}
