// Runs each night (.ci/night).
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createBuildJobs } from '@x/flow-engine'
import type { RunEvent } from '@x/flow-engine'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { expect, test } from 'vitest'
import { fileDatabase } from './databases.ts'
import { components, streamingFlow } from './streaming-flow.ts'

const BUILDS = 200
const WORDS = 10
const SAID = Array.from({ length: WORDS }, (_, n) => `w${n} `).join('')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of the heap that are still in use. */
async function heapInUse(): Promise<number> {
  // Objects held by promises of this turn are free in the next.
  for (const _ of [1, 2, 3]) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  return process.memoryUsage().heapUsed
}

/** The text of the tokens; neighbours may have been joined for a slow reader. */
const said = (events: readonly RunEvent[]): string =>
  events.flatMap(({ event, data }) => (event === 'token' ? [data.chunk] : [])).join('')

const others = (events: readonly RunEvent[]): RunEvent[] =>
  events.filter(({ event }) => event !== 'token')

test('FE-60 200 builds at once with two readers each: no event is lost or doubled, nothing stays in memory', async () => {
  const database = await fileDatabase()
  await migrateFlow(database.db)
  const jobs = createBuildJobs({
    components,
    store: createJobStore(database.db),
    concurrency: BUILDS,
  })
  const flow = streamingFlow(WORDS)

  const streamed = async (id: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) events.push(event)
    return events
  }
  const polled = async (id: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = []
    for (let after = -1, done = false; !done;) {
      const poll = await jobs.poll(id, { after })
      events.push(...poll.events)
      ;({ cursor: after, done } = poll)
    }
    return events
  }
  const buildOnce = async (): Promise<void> => {
    const { id } = await jobs.start({ flow })
    const readers = await Promise.all([streamed(id), polled(id)])
    const [first] = readers
    for (const events of readers) {
      expect(events.at(-1)).toMatchObject({ event: 'end' })
      expect(others(events).filter(({ event }) => event === 'end_vertex')).toHaveLength(3)
      expect(said(events)).toBe(SAID)
      const numbers = events.map(({ seq }) => seq)
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      expect(others(events)).toEqual(others(first))
    }
    // A later reader gets the same from the log.
    const later = await streamed(id)
    expect(others(later)).toEqual(others(first))
    expect(said(later)).toBe(SAID)
    expect((await jobs.get(id))?.state).toBe('succeeded')
  }
  const round = async (): Promise<void> => {
    await Promise.all(Array.from({ length: BUILDS }, buildOnce))
  }

  try {
    // The first round fills what is bounded: statements, results of the last jobs, compiled code.
    await round()
    const before = await heapInUse()
    await round()
    await round()
    // 400 builds: a run with its events is some 50 KB.
    expect((await heapInUse()) - before).toBeLessThan(12 * 2 ** 20)
  } finally {
    await jobs.close()
    await database.close()
  }
})
