import { afterEach, describe, expect, test } from 'vitest'
import {
  createMessage,
  createRegistry,
  defineComponent,
  field,
  output,
  toText,
} from '@x/flow-engine'
import { createBuildJobs, type BuildRequest } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { state, closeAll, closeLater } from './asking.ts'

afterEach(closeAll)

/** Draft, review, send in a row; each notes that it was built. */
function drafting() {
  const built: string[] = []
  const failing = { review: false }
  const step = defineComponent({
    type: 'Step',
    inputs: { text: field.message({}), word: field.text({ default: '' }) },
    outputs: {
      text: output.message({
        async run({ text, word }, ctx) {
          built.push(ctx.displayName)
          if (failing.review && ctx.displayName === 'Review') throw new Error('no reviewer')
          const before = text === null ? '' : toText(text)
          if (word === 'ask') return `${before} ${String(await ctx.suspend('sure?'))}`
          return `${before} ${word}`.trim()
        },
      }),
    },
  })
  const flow = flowBuilder()
  const ids = ['Draft', 'Review', 'Send'].map((displayName) =>
    flow.add(step, {
      id: `${displayName}-1`,
      displayName,
      values: { word: displayName.toLowerCase() },
    }),
  )
  flow.connect(`${ids[0]}.text`, `${ids[1]}.text`)
  flow.connect(`${ids[1]}.text`, `${ids[2]}.text`)
  const store = createMemoryJobStore()
  const jobs = createBuildJobs({ components: createRegistry([step]), store })
  closeLater(jobs)
  const start = (more: Partial<BuildRequest> = {}) =>
    jobs.start({ flow: flow.toJSON(), resumable: true, outputType: 'debug', ...more })
  return { built, failing, jobs, store, start }
}

describe('forks', () => {
  test('DR-68: a fork runs again from a vertex, with given values in place of stored ones', async () => {
    const { built, jobs, start, store } = drafting()
    const first = await start({ history: true, userId: 'ada' })
    await jobs.result(first.id)
    expect(await jobs.history(first.id)).toEqual(
      ['Draft-1', 'Review-1', 'Send-1'].map((vertexId) => ({
        vertexId,
        outputs: ['text'],
        state: 'built',
      })),
    )
    const log = await store.log.read(first.id, -1, 100)
    built.length = 0
    const values = { 'Draft-1': { text: createMessage('A better draft') } }
    const second = await jobs.forkRun(first.id, { from: 'Review-1', values, userId: 'ada' })
    expect(second.forkedFrom).toEqual({ jobId: first.id, vertexId: 'Review-1' })
    expect((await jobs.result(second.id)).text('Send-1')).toBe('A better draft review send')
    expect(built).toEqual(['Review', 'Send'])
    const events = await collectEvents(jobs.events(second.id))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
    const ends = events.flatMap((event) =>
      event.event === 'end_vertex'
        ? [[event.data.build_data.id, event.data.build_data.data.used_frozen_result]]
        : [],
    )
    expect(ends).toEqual([
      ['Draft-1', true],
      ['Review-1', false],
      ['Send-1', false],
    ])
    expect((await jobs.get(second.id))?.forkedFrom?.jobId).toBe(first.id)
    expect((await jobs.get(first.id))?.forkedFrom).toBeUndefined()
    expect(await store.log.read(first.id, -1, 100)).toEqual(log)
  })

  test('DR-68: a fork without a vertex runs what failed or was never built', async () => {
    const { built, failing, jobs, start } = drafting()
    failing.review = true
    const { id } = await start()
    await jobs.result(id)
    expect((await jobs.history(id)).map((one) => [one.vertexId, one.state])).toEqual([
      ['Draft-1', 'built'],
      ['Review-1', 'failed'],
    ])
    failing.review = false
    built.length = 0
    const again = await jobs.forkRun(id, { tweaks: { 'Send-1': { word: 'deliver' } } })
    expect((await jobs.result(again.id)).text('Send-1')).toBe('draft review deliver')
    expect(built).toEqual(['Review', 'Send'])
  })

  test('DR-68: a vertex that asked a question asks again in the fork, and the history names it', async () => {
    const { jobs, start } = drafting()
    const { id } = await start({ tweaks: { 'Review-1': { word: 'ask' } } })
    await state(jobs, id, 'suspended')
    expect(await jobs.history(id)).toContainEqual({
      vertexId: 'Review-1',
      outputs: [],
      state: 'asked',
    })
    await expect(jobs.forkRun(id)).rejects.toMatchObject({ code: 'conflict' })
    await jobs.cancel(id)
    const fork = await jobs.forkRun(id)
    await state(jobs, fork.id, 'suspended')
    await jobs.resume(fork.id, 'yes')
    expect((await jobs.result(fork.id)).text('Send-1')).toBe('draft yes send')
  })

  test('DR-68: a fork that is not possible is refused with the reason', async () => {
    const { jobs, start } = drafting()
    const forgotten = await start({ userId: 'ada' })
    await jobs.result(forgotten.id)
    await expect(jobs.forkRun(forgotten.id)).rejects.toMatchObject({ code: 'not_resumable' })
    await expect(jobs.forkRun(forgotten.id, { userId: 'bob' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const { id } = await start({ history: true })
    await jobs.result(id)
    const cases = [
      [{ from: 'Nobody-1' }, 'Nobody-1'],
      [{ from: 'Review-1', values: { 'Nobody-1': {} } }, 'Nobody-1'],
      [{ from: 'Review-1', values: { 'Send-1': { text: 'x' } } }, 'runs again'],
      [{ from: 'Review-1', values: { 'Draft-1': { other: 'x' } } }, 'other'],
    ] as const
    for (const [options, text] of cases)
      await expect(jobs.forkRun(id, options)).rejects.toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining(text),
      })
  })
})
