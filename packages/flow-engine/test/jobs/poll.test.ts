import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry } from '@x/flow-engine'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated, looped } from '../engine/gated.ts'
import { join, library, kinds } from '../engine/dependencies.ts'
import { closeAll, closeLater } from './asking.ts'

afterEach(closeAll)

function jobsWith(options: BuildJobsOptions = {}): BuildJobs {
  const jobs = createBuildJobs({ components: createRegistry(library), ...options })
  closeLater(jobs)
  return jobs
}

describe('polling (FE-69)', () => {
  test('FE-69: the reader defaults to the user', async () => {
    const jobs = jobsWith()
    const { id } = await jobs.start({ flow: looped(join, 'a'), userId: 'ada' })
    await collectEvents(jobs.events(id))
    const first = await jobs.poll(id, { userId: 'ada' })
    expect(kinds(first.events)).toContain('vertices_sorted')
    expect(kinds((await jobs.poll(id, { userId: 'ada' })).events)).toEqual(['end'])
    expect(kinds((await jobs.poll(id, { reader: 'ada' })).events)).toEqual(['end'])
    expect((await jobs.poll(id)).events).toEqual(first.events)
  })

  test('FE-69: another read from the start does not move the position of a reader back', async () => {
    const jobs = jobsWith()
    const { id } = await jobs.start({ flow: looped(join, 'a') })
    await jobs.poll(id, { reader: 'a', after: -1 })
    await collectEvents(jobs.events(id))
    await jobs.poll(id, { reader: 'a' })
    for await (const events of jobs.encodedEvents(id)) if (events.length > 0) break
    expect(kinds((await jobs.poll(id, { reader: 'a' })).events)).toEqual(['end'])
  })

  test('FE-69: a poll waits 30 s for the first event; the cursor does not change', async () => {
    const gate = gated()
    const runtime = createTestRuntime()
    const jobs = jobsWith({ runtime, components: createRegistry([gate.component]) })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const { id } = await jobs.start({ flow: flow.toJSON() })
    await gate.begun(1)
    const given: object[] = []
    const polling = jobs.poll(id, { after: 0 }).then((poll) => given.push(poll))
    await runtime.advance(29_999)
    expect(given).toEqual([])
    await runtime.advance(1)
    await polling
    expect(given).toEqual([{ events: [], cursor: 0, done: false }])
  })

  test('FE-69: a poll returns all events, however many', async () => {
    const jobs = jobsWith()
    const words = Array.from({ length: 400 }, (_, index) => index).join(' ')
    const { id } = await jobs.start({ flow: looped(join, words) })
    await collectEvents(jobs.events(id))
    const { events, cursor, done } = await jobs.poll(id, { after: -1 })
    expect(events).toHaveLength(805)
    expect([cursor, done]).toEqual([804, true])
  })
})
