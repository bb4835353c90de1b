import { redisChatMemory } from '@x/flow-components'
import type { MessageService, RedisLists, RedisPlace } from '@x/flow-engine'
import { memory } from '@x/flow-engine/components'
import type { Message } from '@x/flow-engine'
import { storeMessage } from '@x/flow-components'
import { testComponent } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'

/** A Redis of lists in memory, and how it was reached. */
function fakeRedis() {
  const lists = new Map<string, string[]>()
  const places: RedisPlace[] = []
  let open = 0
  const redis: RedisLists = {
    connect: async (place) => {
      places.push(place)
      open += 1
      return {
        range: async (key, count) => (lists.get(key) ?? []).slice(0, count),
        push: async (key, text) => void lists.set(key, [text, ...(lists.get(key) ?? [])]),
        close: async () => void (open -= 1),
      }
    },
  }
  return { redis, lists, places, isClosed: () => open === 0 }
}

async function memoryOf(inputs: object, redis: RedisLists | undefined): Promise<MessageService> {
  const services = redis === undefined ? {} : { redis }
  const { value } = await testComponent(redisChatMemory, { inputs: { ...inputs }, services })
  return value as MessageService
}

test('FF-83: messages are kept in Redis in the order and form of other programs', async () => {
  const { redis, lists, places, isClosed } = fakeRedis()
  const store = await memoryOf({ host: 'db', port: 7000, database: '2', password: 'pw' }, redis)
  const inputs = { memory: store, session_id: 's' }
  await testComponent(storeMessage, { inputs: { ...inputs, message: 'Hi', sender: 'User' } })
  await testComponent(storeMessage, { inputs: { ...inputs, message: 'Yes', sender: 'Machine' } })
  const kept = lists.get('message_store:s')?.map((text): unknown => JSON.parse(text))
  expect(kept).toMatchObject([
    { type: 'ai', data: { content: 'Yes', type: 'ai' } },
    { type: 'human', data: { content: 'Hi', type: 'human' } },
  ])
  expect(places[0]).toEqual({ host: 'db', port: 7000, database: 2, password: 'pw' })
  const shown = await testComponent(memory, {
    inputs: { mode: 'Retrieve', ...inputs, template: '{sender}: {text}' },
    output: 'messages_text',
  })
  expect((shown.value as Message).text).toBe('User: Hi\nMachine: Yes')
  expect(isClosed()).toBe(true)
})

test('FF-83: what is no message is passed over; the last ones and one sender can be asked for', async () => {
  const { redis, lists } = fakeRedis()
  const of = (type: string, content: unknown) => JSON.stringify({ type, data: { content } })
  lists.set('mine:s', [of('ai', 'c'), of('human', 'b'), 'odd', of('system', 'x'), of('ai', 'a')])
  const store = await memoryOf({ key_prefix: 'mine:' }, redis)
  const texts = async (query: object) =>
    (await store.list({ sessionId: 's', ...query })).map(({ text }) => text)
  expect(await texts({})).toEqual(['a', 'b', 'c'])
  expect(await texts({ order: 'descending' })).toEqual(['c', 'b', 'a'])
  expect(await texts({ last: 2 })).toEqual(['b', 'c'])
  expect(await texts({ sender: 'Machine' })).toEqual(['a', 'c'])
  expect(await texts({ sessionId: 'other' })).toEqual([])
})

test('FF-83: without Redis, and with a host that refuses, the error says so', async () => {
  const none = await memoryOf({}, undefined)
  await expect(none.list({ sessionId: 's' })).rejects.toThrow('SERVICE_REDIS_HOSTS')
  const far = await memoryOf({}, { connect: () => Promise.reject(new Error('no such host')) })
  await expect(far.list({ sessionId: 's' })).rejects.toThrow('Redis Chat Memory: no such host')
  const odd = await memoryOf({ database: 'x' }, fakeRedis().redis)
  await expect(odd.list({ sessionId: 's' })).rejects.toThrow("Redis has no database 'x'")
})
