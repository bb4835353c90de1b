import assert from 'node:assert/strict'
import type { JobListQuery, JobStore } from '../store/job-store.ts'
import { at, newJob } from './job-fixtures.ts'
import type { TestFrame } from './test-frame.ts'

const usage = { 'Model-1': { inputTokens: 7, outputTokens: 3 } }

/** Specs of listing a user's jobs; a store without `list` passes. */
export function describeJobList(t: TestFrame, store: () => JobStore): void {
  const ids = async (query: Partial<JobListQuery> = {}): Promise<string[] | undefined> => {
    const page = await store().queue.list?.({ userId: 'ada', offset: 0, limit: 10, ...query })
    return page?.items.map(({ id }) => id)
  }

  t.it('OP-5 lists the jobs of one user, newest first, in pages', async () => {
    const { queue } = store()
    if (queue.list === undefined) return
    const mine = { userId: 'ada' }
    await queue.enqueue(newJob('a', { ...mine, createdAt: at(2) }))
    await queue.enqueue(newJob('b', { ...mine, createdAt: at(5) }))
    await queue.enqueue(newJob('c', { ...mine, createdAt: at(2) }))
    await queue.enqueue(newJob('d', { userId: 'bob', createdAt: at(9) }))
    await queue.enqueue(newJob('e', { createdAt: at(9) }))
    assert.deepEqual(await ids(), ['b', 'c', 'a'])
    assert.deepEqual(await ids({ userId: 'bob' }), ['d'])
    assert.deepEqual(await ids({ userId: 'eve' }), [])
    const page = await queue.list({ userId: 'ada', offset: 1, limit: 1 })
    assert.deepEqual([page.total, page.items.map(({ id }) => id)], [3, ['c']])
    const beyond = await queue.list({ userId: 'ada', offset: 7, limit: 1 })
    assert.deepEqual([beyond.total, beyond.items], [3, []])
  })

  t.it('OP-5 lists by flow, session, state, lane and time, which all count', async () => {
    const { queue } = store()
    if (queue.list === undefined) return
    const mine = { userId: 'ada' }
    await queue.enqueue(newJob('a', { ...mine, sessionId: 'ünï', createdAt: at(1) }))
    await queue.enqueue(newJob('b', { ...mine, flowId: 'flow-2', createdAt: at(2) }))
    await queue.enqueue(newJob('c', { ...mine, lane: 'public', createdAt: at(3) }))
    await queue.enqueue(newJob('d', { ...mine, sessionId: '', createdAt: at(4) }))
    assert.deepEqual(await ids({ flowId: 'flow-2' }), ['b'])
    assert.deepEqual(await ids({ sessionId: 'ünï' }), ['a'])
    assert.deepEqual(await ids({ sessionId: '' }), ['d'])
    assert.deepEqual(await ids({ lanes: ['', 'webhook'] }), ['d', 'b', 'a'])
    assert.deepEqual(await ids({ lanes: ['public'] }), ['c'])
    assert.deepEqual(await ids({ from: at(2), to: at(3) }), ['c', 'b'])
    await queue.claim('w1', at(100), at(10), [''])
    assert.deepEqual(await ids({ states: ['running'] }), ['a'])
    assert.deepEqual(await ids({ states: ['queued', 'failed'], lanes: [''] }), ['d', 'b'])
    assert.deepEqual(await ids({ states: ['queued'], sessionId: 'ünï' }), [])
  })

  t.it('OP-5 a listed job has its facts and tokens, and nothing of what it was asked', async () => {
    const { queue } = store()
    if (queue.list === undefined) return
    const facts = { userId: 'ada', sessionId: 's', flowVersion: 3, maxRunningPerUser: 2 }
    await queue.enqueue(newJob('a', { ...facts, resumable: true }))
    await queue.claim('w1', at(100), at(10))
    await queue.suspend('a', 'w1', { question: 'Well?', askedAt: at(12), wakeAt: null, usage })
    await queue.resume('a', 'Yes', at(13))
    await queue.claim('w1', at(100), at(14))
    const error = { code: 'internal', detail: 'ünknown' }
    await queue.finish('a', 'w1', { state: 'failed', finishedAt: at(20), error })
    const { items } = await queue.list({ userId: 'ada', offset: 0, limit: 1 })
    const {
      request: _request,
      question: _question,
      answer: _answer,
      ...rest
    } = {
      ...(await queue.get('a')),
    }
    assert.deepEqual(items, [rest])
    const [job] = items
    assert.deepEqual([job?.sessionId, job?.flowVersion, job?.usage], ['s', 3, usage])
    assert.deepEqual([job?.state, job?.error, job?.startedAt], ['failed', error, at(10)])
  })

  t.it('OP-5 the tokens of the end replace earlier ones', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a'))
    assert.equal((await queue.get('a'))?.usage, null)
    await queue.claim('w1', at(100), at(10))
    await queue.finish('a', 'w1', { state: 'succeeded', finishedAt: at(20), usage })
    assert.deepEqual((await queue.get('a'))?.usage, usage)
  })

  t.it('DO-32 removes a job that has ended, and no other', async () => {
    const { queue } = store()
    if (queue.remove === undefined) return
    await queue.enqueue(newJob('a'))
    await queue.remove('a')
    assert.equal((await queue.get('a'))?.state, 'queued')
    await queue.claim('w1', at(100), at(10))
    await queue.finish('a', 'w1', { state: 'succeeded', finishedAt: at(20) })
    await queue.remove('a')
    assert.equal(await queue.get('a'), null)
  })

  t.it('OP-5 a job that is trimmed is no longer listed', async () => {
    const { queue } = store()
    if (queue.list === undefined) return
    await queue.enqueue(newJob('a', { userId: 'ada' }))
    await queue.claim('w1', at(100), at(10))
    await queue.finish('a', 'w1', { state: 'succeeded', finishedAt: at(20) })
    await queue.trim({ before: at(30), keep: 10 })
    assert.deepEqual(await ids(), [])
  })
}
