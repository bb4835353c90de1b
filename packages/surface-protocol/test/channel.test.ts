import { expect, test } from 'vitest'
import { createSurfaceStore, type AnyServerMessage } from '@x/surface-protocol'
import { createSurfaceChannel, type SurfaceChannel } from '@x/surface-protocol/http'
import { collectGarbage } from './collect-garbage.ts'

const del = (surfaceId: string) => ({ deleteSurface: { surfaceId } })
const readAll = async (channel: SurfaceChannel, after?: string) => {
  const messages: AnyServerMessage[] = []
  const items = channel.subscribe(after === undefined ? {} : { after })
  for await (const { message } of items) messages.push(message)
  return messages
}

test('SP-74: an id of another channel is a gap, however similar', async () => {
  const channel = createSurfaceChannel()
  for (const id of ['a', 'b']) await channel.send(del(id))
  channel.close()
  const own = channel.lastId?.replace(/2$/, '1') ?? ''
  expect(await readAll(channel, own)).toEqual([del('b')])
  const foreign = `${own.startsWith('0') ? '1' : '0'}${own.slice(1)}`
  await expect(readAll(channel, foreign)).rejects.toMatchObject({ code: 'resume_gap' })
})

test('SP-74: a channel ends once, in the way it was first ended', async () => {
  const clean = createSurfaceChannel()
  await clean.send(del('a'))
  clean.close()
  clean.close(new Error('late'))
  expect(await readAll(clean)).toEqual([del('a')])
  const broken = createSurfaceChannel()
  broken.close(new Error('first'))
  broken.close()
  await expect(readAll(broken)).rejects.toThrow('first')
})

test('SP-74: a subscriber is collected after it leaves', async () => {
  const channel = createSurfaceChannel()
  await channel.send(del('a'))
  const closed = createSurfaceChannel()
  await closed.send(del('a'))
  const comeAndGo = async (leave: 'return' | 'abort' | 'end' | 'before') => {
    const stop = new AbortController()
    if (leave === 'before') stop.abort()
    const source = leave === 'end' ? closed : channel
    const iterator = source.subscribe({ signal: stop.signal })[Symbol.asyncIterator]()
    await iterator.next()
    if (leave === 'return') await iterator.return?.()
    else if (leave === 'abort') stop.abort()
    else if (leave === 'end') closed.close()
    return new WeakRef(stop.signal)
  }
  const signals: WeakRef<AbortSignal>[] = []
  for (const leave of ['return', 'abort', 'end', 'before'] as const) {
    signals.push(await comeAndGo(leave))
  }
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(signals.filter((signal) => signal.deref() !== undefined)).toEqual([])
  await expect(closed.send(del('b'))).rejects.toMatchObject({ code: 'channel_closed' })
  await channel.send(del('b'))
})

test('SP-74: a subscriber with an aborted signal gets nothing and delays no sender', async () => {
  const channel = createSurfaceChannel({ highWaterMark: 1 })
  await channel.send(del('a'))
  const items = channel.subscribe({ signal: AbortSignal.abort() })
  expect(await items[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
  await channel.send(del('b'))
  channel.close(new Error('over'))
  expect(await items[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
})

test('SP-74: a subscriber that left gets nothing more, an error is reported once', async () => {
  const channel = createSurfaceChannel()
  const left = channel.subscribe()[Symbol.asyncIterator]()
  await channel.send(del('a'))
  await left.return?.()
  expect(await left.next()).toMatchObject({ done: true })
  const told = channel.subscribe({ after: channel.lastId ?? '' })[Symbol.asyncIterator]()
  channel.close(new Error('over'))
  await expect(told.next()).rejects.toThrow('over')
  expect(await told.next()).toMatchObject({ done: true })
})

test('SP-74: there is room below the high-water mark; closing the channel waits for no subscriber', async () => {
  const channel = createSurfaceChannel({ highWaterMark: 2 })
  const reader = channel.subscribe()[Symbol.asyncIterator]()
  let sent = 0
  const sends = ['a', 'b', 'c'].map((id) => channel.send(del(id)).then(() => (sent += 1)))
  const sentAfter = async (reads: number) => {
    for (let n = 0; n < reads; n += 1) await reader.next()
    await new Promise((resolve) => setImmediate(resolve))
    return sent
  }
  expect([await sentAfter(0), await sentAfter(1), await sentAfter(1)]).toEqual([1, 1, 3])
  sends.push(channel.send(del('d')).then(() => (sent += 1)))
  expect(await sentAfter(0)).toBe(3)
  channel.close()
  await Promise.all(sends)
})

test('SP-74 AB-6: a snapshot deletes the latest surfaces that a subscriber may know', async () => {
  const store = createSurfaceStore()
  store.apply({ dataModelUpdate: { surfaceId: 'older', contents: [] } })
  const channel = createSurfaceChannel({ history: 0, store })
  await channel.send(del('kept'))
  for (let n = 0; n < 999; n += 1) await channel.send(del(`s${n}`))
  await channel.send(del('kept'))
  await channel.send(del('new'))
  channel.close()
  const cleared = (await readAll(channel)).flatMap((message) =>
    'deleteSurface' in message ? [message.deleteSurface.surfaceId] : [],
  )
  expect(cleared).toHaveLength(1001)
  expect(cleared.slice(-3)).toEqual(['kept', 'new', 'older'])
  expect(cleared).not.toContain('s0')
})

test('SP-74: wrong sizes are refused at creation', () => {
  for (const options of [
    { history: -1 },
    { history: 1.5 },
    { highWaterMark: 0 },
    { historyBytes: -1 },
    { slowMs: 0 },
    { onSlow: 'never' as 'wait' },
  ]) {
    expect(() => createSurfaceChannel(options)).toThrow(TypeError)
  }
  expect(() => createSurfaceChannel({ history: 0, highWaterMark: 1 })).not.toThrow()
})
