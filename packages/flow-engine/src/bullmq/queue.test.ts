import { needs } from '@x/test-kit/needs'
import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { defineJobStoreContract } from '../contract/job-store-spec.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import type { JobStore, NewJob } from '../store/job-store.ts'
import { isStoreUnavailable } from '../store/store-error.ts'
import { createBullMqQueue, type BullMqQueue } from './queue.ts'

const url = process.env['REDIS_URL'] ?? ''
const start = Date.UTC(2030, 0, 1)
const at = (ms: number): Date => new Date(start + ms)

const newJob = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  id,
  flowId: 'flow',
  userId: null,
  request: '{}',
  resumable: true,
  createdAt: at(0),
  lane: '',
  flowVersion: null,
  sessionId: null,
  maxRunningPerUser: null,
  priority: 0,
  maxQueued: null,
  ...more,
})

/** Queues over keys of their own, which are gone afterwards. */
const open: { readonly queue: BullMqQueue; readonly prefix: string }[] = []
function queueOn(prefix = `{test-${randomUUID()}}`): BullMqQueue {
  const queue = createBullMqQueue({ connection: url, prefix })
  open.push({ queue, prefix })
  return queue
}
async function closeAll(): Promise<void> {
  const redis = new Redis(url)
  for (const { queue, prefix } of open.splice(0)) {
    await queue.close()
    const keys = await redis.keys(`${prefix}:*`)
    if (keys.length > 0) await redis.del(...keys)
  }
  redis.disconnect()
}

describe('createBullMqQueue (REDIS_URL)', needs('redis'), () => {
  defineJobStoreContract(
    { describe, it, beforeEach, afterEach },
    {
      name: 'BullMQ queue, log in memory',
      schedules: false,
      create: (): JobStore => {
        const { schedules: _, ...store } = createMemoryJobStore()
        return { ...store, queue: queueOn() }
      },
      destroy: closeAll,
    },
  )

  describe('processes that share one Redis (FE-62)', () => {
    let a: BullMqQueue
    let b: BullMqQueue
    let redis: Redis
    let prefix: string
    beforeEach(() => {
      prefix = `{test-${randomUUID()}}`
      a = queueOn(prefix)
      b = queueOn(prefix)
      redis = new Redis(url)
    })
    afterEach(async () => {
      redis.disconnect()
      await closeAll()
    })

    test('get each job once, also with limits per user and for waiting jobs', async () => {
      const limits = { userId: 'u1', maxRunningPerUser: 5, maxQueued: 12 }
      const queued = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? a : b).enqueue(newJob(`j${n}`, limits)),
        ),
      )
      expect(queued.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? a : b).claim(`w${n}`, at(99), at(1))),
      )
      const ids = claims.flatMap((job) => job?.id ?? [])
      expect(ids).toHaveLength(5)
      expect(new Set(ids).size).toBe(5)
    })

    test('jobs held back by a limit per user are claimed next, in the order they were queued', async () => {
      const limits = { userId: 'u1', maxRunningPerUser: 1 }
      for (const id of ['a', 'b', 'c']) await a.enqueue(newJob(id, limits))
      expect((await a.claim('w', at(99), at(1)))?.id).toBe('a')
      expect(await b.claim('w', at(99), at(1))).toBeNull()
      await a.enqueue(newJob('other'))
      await a.finish('a', 'w', { state: 'succeeded', finishedAt: at(2) })
      expect((await b.claim('w', at(99), at(3)))?.id).toBe('b')
      expect((await b.claim('w', at(99), at(3)))?.id).toBe('other')
      await b.suspend('b', 'w', { question: 'sure?', askedAt: at(5), wakeAt: null })
      expect((await a.claim('w', at(99), at(4)))?.id).toBe('c')
    })

    test('FE-63 the job of a dead process is given to another; the dead one can no longer change it', async () => {
      await a.enqueue(newJob('j'))
      await a.claim('dead', at(30), at(0))
      const late = await Promise.all([a.expired(at(31)), b.expired(at(31))])
      expect(late.flat().map(({ id, worker }) => [id, worker])).toEqual([['j', 'dead']])
      expect(await b.claim('alive', at(90), at(32))).toMatchObject({ id: 'j', attempts: 2 })
      expect(await a.heartbeat('j', 'dead', at(99))).toBe('lost')
      const end = { state: 'succeeded', finishedAt: at(40) } as const
      expect(await a.finish('j', 'dead', end)).toBe(false)
      expect(await b.finish('j', 'alive', end)).toBe(true)
      expect(await a.claim('any', at(99), at(41))).toBeNull()
    })

    test('a job whose process died before the BullMQ entry was written is recovered', async () => {
      await a.enqueue(newJob('j'))
      const entries = await redis.keys(`${prefix}:flow-builds:*`)
      const ofBullMq = entries.filter((key) => !key.includes(':flow:'))
      await redis.del(...ofBullMq)
      expect(await a.claim('w', at(99), at(1))).toBeNull()
      expect(await b.expired(at(2))).toEqual([])
      expect((await a.claim('w', at(99), at(3)))?.id).toBe('j')
    })

    test('a job whose entry was removed by hand while it waited is recovered', async () => {
      await a.enqueue(newJob('j'))
      const tool = new Worker('flow-builds', undefined, {
        connection: { url },
        prefix,
        autorun: false,
      })
      const entry = await tool.getNextJob('by hand', { block: false })
      await entry?.moveToCompleted(null, 'by hand', false)
      await tool.close()
      expect(await a.claim('w', at(99), at(1))).toBeNull()
      expect(await b.expired(at(2))).toEqual([])
      expect((await a.claim('w', at(99), at(3)))?.id).toBe('j')
    })

    test('DR-25: ten recovery scans over 60 waiting jobs cost less than 600 commands; one process scans per lease', async () => {
      for (let n = 0; n < 60; n += 1)
        await a.enqueue(newJob(`j:${n}`, n % 2 === 0 ? {} : { lane: 'webhook', userId: 'u1' }))
      const commands = async (): Promise<number> => {
        const found = (await redis.info('commandstats')).matchAll(/calls=(\d+)/g)
        return [...found].reduce((sum, [, calls]) => sum + Number(calls), 0)
      }
      const before = await commands()
      for (let n = 0; n < 5; n += 1) await Promise.all([a.expired(at(2)), b.expired(at(2))])
      expect((await commands()) - before).toBeLessThan(600)
      const lists = ['flow-builds:wait', 'flow-builds-webhook:wait']
      const waiting = lists.map((list) => redis.llen(`${prefix}:${list}`))
      expect(await Promise.all(waiting)).toEqual([30, 30])

      await redis.del(...lists.map((list) => `${prefix}:${list}`))
      await b.expired(at(3))
      expect(await a.claim('w', at(99), at(4))).toBeNull()
      // When the lease is over, somebody looks again.
      await redis.del(`${prefix}:flow-builds:flow:looked`)
      await Promise.all([a.expired(at(200)), b.expired(at(200))])
      const again = await Promise.all(lists.map((list) => redis.lrange(`${prefix}:${list}`, 0, -1)))
      expect(again.map((ids) => new Set(ids).size)).toEqual([30, 30])
      expect(again.map((ids) => ids.length)).toEqual([30, 30])
    })

    test('ids may contain characters that BullMQ does not allow', async () => {
      await a.enqueue(newJob('1'))
      await a.enqueue(newJob('a:b/ü'))
      expect((await b.claim('w', at(99), at(1)))?.id).toBe('1')
      expect((await b.claim('w', at(99), at(1)))?.id).toBe('a:b/ü')
    })

    test('BullMQ shows running builds and how they ended, without their requests', async () => {
      for (const id of ['a', 'b', 'c']) await a.enqueue(newJob(id, { request: '{"secret":1}' }))
      await a.claim('w', at(99), at(1))
      await a.claim('w', at(99), at(1))
      await a.finish('a', 'w', { state: 'succeeded', finishedAt: at(2) })
      const error = { code: 'timeout', detail: 'too slow' }
      await a.finish('b', 'w', { state: 'failed', finishedAt: at(2), error })
      const ids = async (list: string) => redis.zrange(`${prefix}:flow-builds:${list}`, '0', '-1')
      expect(await ids('completed')).toEqual(['a-1'])
      expect(await ids('failed')).toEqual(['b-1'])
      expect(await redis.lrange(`${prefix}:flow-builds:wait`, 0, -1)).toEqual(['c-1'])
      const data = await redis.hget(`${prefix}:flow-builds:b-1`, 'data')
      expect(data).not.toContain('secret')
      expect(await redis.hget(`${prefix}:flow-builds:b-1`, 'failedReason')).toBe('too slow')
    })
  })
})

test(
  'an unreachable Redis makes the queue unavailable, and no call hangs',
  { tags: ['long'] },
  async () => {
    const errors: unknown[] = []
    const queue = createBullMqQueue({
      connection: { host: '127.0.0.1', port: 1 },
      onError: (error) => errors.push(error),
    })
    const failed = await queue.claim('w', at(99), at(1)).catch((error: unknown) => error)
    expect(isStoreUnavailable(failed)).toBe(true)
    expect(failed).toMatchObject({ message: expect.stringMatching(/^Redis is unavailable/) })
    const refused = await queue.enqueue(newJob('j')).catch((error: unknown) => error)
    expect(isStoreUnavailable(refused)).toBe(true)
    await queue.close()
    expect(errors.length).toBeGreaterThan(0)
  },
)
