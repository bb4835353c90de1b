import { describe, expect, test } from 'vitest'
import { createSurfaceStore, createSurfaceWriter, ui } from '@x/surface-protocol'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  type ChannelItem,
  type SurfaceChannelOptions,
} from '@x/surface-protocol/http'
import { createTestRuntime } from '@x/surface-protocol/testing'

const del = (surfaceId: string) => ({ deleteSurface: { surfaceId } })
const value = (surfaceId: string, key: string, valueString: string) => ({
  dataModelUpdate: { surfaceId, path: '/d', contents: [{ key, valueString }] },
})
const turn = () => new Promise((resolve) => setImmediate(resolve))
const take = async (items: AsyncIterable<ChannelItem>, count = Infinity) => {
  const taken: ChannelItem[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

describe('AB-4: history', () => {
  test('the oldest messages are dropped at the limit of messages or of bytes', async () => {
    const channel = createSurfaceChannel({ historyBytes: 1000, mirror: false })
    for (let n = 0; n < 8; n += 1) await channel.send(value('s', `k${n}`, 'x'.repeat(100)))
    const kept = async (number: number) => {
      const after = channel.lastId?.replace(/8$/, String(number)) ?? ''
      const reading = take(channel.subscribe({ after }), 8 - number)
      return reading.then(
        (items) => items.length,
        (error: { code: string }) => error.code,
      )
    }
    expect([await kept(2), await kept(3), await kept(7)]).toEqual(['resume_gap', 5, 1])
    const small = createSurfaceChannel({ historyBytes: 10, mirror: false })
    await small.send(del('s'))
    await expect(take(small.subscribe(), 1)).rejects.toMatchObject({ code: 'resume_gap' })
  })
})

describe('AB-5: new viewers', () => {
  test('a channel without store takes new viewers after any number of messages', async () => {
    const channel = createSurfaceChannel()
    const writer = createSurfaceWriter({ send: (message) => channel.send(message) })
    await writer.render('s', { root: ui.Text({ text: 'Hello' }) })
    for (let n = 0; n < 1100; n += 1) await writer.update('s', '/d', { n })
    await channel.send({ beginRendering: { surfaceId: 'own', root: 'r', catalogId: 'urn:own' } })
    channel.close()
    const items = await take(channel.subscribe())
    const store = createSurfaceStore()
    store.applyAll(items.map(({ message }) => message))
    expect(store.get('s')).toMatchObject({ status: 'rendered', data: { d: { n: 1099 } } })
    expect(items.at(-1)?.message).toMatchObject({ beginRendering: { catalogId: 'urn:own' } })
    const own = channel.lastId?.replace(/\d+$/, '1')
    expect((await take(channel.subscribe({ after: own ?? '' }))).length).toBe(items.length)
    await expect(take(channel.subscribe({ after: 'other.1' }))).rejects.toMatchObject({
      code: 'resume_gap',
    })
  })

  test('without mirror and store every lost position is a gap', async () => {
    const channel = createSurfaceChannel({ history: 1, mirror: false })
    for (const id of ['a', 'b', 'c']) await channel.send(del(id))
    for (const after of ['', channel.lastId?.replace(/3$/, '1') ?? '']) {
      await expect(take(channel.subscribe({ after }), 1)).rejects.toMatchObject({
        code: 'resume_gap',
      })
    }
  })
})

describe('AB-6: resuming inside a snapshot', () => {
  const full = async (options: SurfaceChannelOptions) => {
    const channel = createSurfaceChannel({ history: 1, ...options })
    const writer = createSurfaceWriter({
      send: (message) => {
        options.store?.apply(message)
        return channel.send(message)
      },
    })
    for (const id of ['a', 'b', 'c']) {
      await writer.render(id, { root: ui.Text({ text: id }), data: { id } })
    }
    await writer.delete('b')
    return { channel, writer }
  }

  test.each([
    ['store', { store: createSurfaceStore() }],
    ['mirror', {}],
  ])('whatever the cut, client and store end equal (%s)', async (_, options) => {
    const { channel, writer } = await full(options)
    const { length } = await take(channel.subscribe(), 3 + 2 * 3)
    for (const known of ['', `${channel.lastId?.split('.')[0]}.1`]) {
      for (let cut = 1; cut <= length; cut += 1) {
        const client = createSurfaceStore()
        client.apply(value('b', 'stale', 'x'))
        const first = await take(channel.subscribe({ after: known }), cut)
        for (const { message } of first) client.apply(message)
        const after = first.at(-1)?.id ?? ''
        expect(after).toBe(cut === length ? channel.lastId : known)
        if (cut < length) {
          const rest = await take(channel.subscribe({ after }), length)
          for (const { message } of rest) client.apply(message)
        }
        for (const id of ['a', 'b', 'c']) {
          expect(client.get(id)?.data).toEqual(writer.store.get(id)?.data)
          expect(client.get(id)?.components).toEqual(writer.store.get(id)?.components)
        }
      }
    }
  })

  test('SSE has an id line for the last item of a snapshot only', async () => {
    const { channel } = await full({ store: createSurfaceStore() })
    channel.close()
    const handler = createSurfaceHandler({ open: () => channel })
    const open = async (id: string) => {
      const headers = { accept: 'text/event-stream', 'last-event-id': id }
      const response = await handler(new Request('http://host.example/s', { headers }))
      return (await response.text()).split('\n\n').filter((frame) => frame !== '')
    }
    for (const id of ['', 'other.1', `${channel.lastId?.split('.')[0]}.1`]) {
      const frames = await open(id)
      expect(frames.length).toBeGreaterThan(5)
      const named = frames.map((frame) => frame.startsWith('id: '))
      expect([named.slice(0, -1).some(Boolean), named.at(-1)]).toEqual([false, true])
    }
    const last = channel.lastId ?? ''
    expect(await open(last)).toEqual([])
  })
})

describe('AB-7: a viewer that stops reading', () => {
  const begin = (options: SurfaceChannelOptions = {}) => {
    const runtime = createTestRuntime()
    const channel = createSurfaceChannel({ runtime, highWaterMark: 4, slowMs: 1000, ...options })
    const viewer = channel.subscribe()[Symbol.asyncIterator]()
    const send = () => {
      let done = false
      const sent = channel.send(del('x')).then(() => (done = true))
      return { sent, isDone: () => done }
    }
    return { runtime, channel, viewer, send }
  }

  test('it is ended after slowMs and can resume by its id', async () => {
    const { runtime, channel, viewer, send } = begin()
    await send().sent
    const { value: first } = await viewer.next()
    for (let n = 0; n < 3; n += 1) await send().sent
    const held = send()
    await turn()
    expect(held.isDone()).toBe(false)
    await runtime.advance(999)
    expect(held.isDone()).toBe(false)
    await runtime.advance(1)
    await held.sent
    await expect(viewer.next()).rejects.toMatchObject({ code: 'too_slow', status: 408 })
    expect(await viewer.next()).toMatchObject({ done: true })
    expect(await take(channel.subscribe({ after: first.id }), 4)).toHaveLength(4)
    await send().sent
  })

  test('a viewer that still reads is not ended, but delays senders only briefly', async () => {
    const { runtime, viewer, send } = begin()
    let waited = 0
    for (let n = 0; n < 60; n += 1) {
      const call = send()
      await turn()
      for (; !call.isDone() && waited < 100_000; waited += 100) {
        if (waited % 900 === 0) void viewer.next()
        await runtime.advance(100)
        await turn()
      }
    }
    expect(waited).toBeLessThan(25_000)
    expect((await viewer.next()).done).toBe(false)
  })

  test('a viewer that used up its patience may fall behind by at most the history', async () => {
    const { runtime, viewer, send } = begin({ history: 10 })
    for (let n = 0; n < 4; n += 1) void send()
    for (let n = 0; n < 12; n += 1) {
      await runtime.advance(300)
      void viewer.next()
      void send()
    }
    for (let n = 0; n < 40; n += 1) void send()
    await runtime.advance(900)
    for (let n = 0; n < 3; n += 1) void send()
    await turn()
    await expect(
      (async () => {
        for (let n = 0; n < 100; n += 1) await viewer.next()
      })(),
    ).rejects.toMatchObject({ code: 'too_slow' })
  })

  test('a backlog is not held against a new viewer', async () => {
    const { viewer, channel, send } = begin()
    await viewer.return?.()
    for (let n = 0; n < 100; n += 1) await send().sent
    const late = channel.subscribe()[Symbol.asyncIterator]()
    for (let n = 0; n < 3; n += 1) await send().sent
    expect((await late.next()).done).toBe(false)
  })

  test('onSlow: wait waits as long as it takes', async () => {
    const { runtime, viewer, send } = begin({ onSlow: 'wait' })
    for (let n = 0; n < 3; n += 1) await send().sent
    const held = send()
    await runtime.advance(1e9)
    await turn()
    expect(held.isDone()).toBe(false)
    await viewer.next()
    await held.sent
  })

  test('at most 10,000 calls wait in a writer', async () => {
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    const writer = createSurfaceWriter({ send: () => gate })
    const calls = Array.from({ length: 10_000 }, (_, n) => writer.update('s', '/d', { n }))
    await expect(writer.delete('s')).rejects.toMatchObject({
      code: 'limit_exceeded',
      limit: 'waitingCalls',
    })
    release()
    await Promise.all(calls)
    await writer.delete('s')
  })
})
