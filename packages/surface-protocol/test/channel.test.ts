import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createSurfaceChannel, type SurfaceChannel } from '@x/surface-protocol/http'

const del = (surfaceId: string) => ({ deleteSurface: { surfaceId } })
const readAll = async (channel: SurfaceChannel, after?: string) => {
  const messages: unknown[] = []
  const items = channel.subscribe(after === undefined ? {} : { after })
  for await (const { message } of items) messages.push(message)
  return messages
}

test('SP-74: an id of another channel is a gap, however much it looks like one of this', async () => {
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

test('SP-74: what belongs to a subscriber is free when it leaves', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const channel = createSurfaceChannel()
  await channel.send(del('a'))
  const comeAndGo = async (leave: 'return' | 'abort') => {
    const stop = new AbortController()
    const iterator = channel.subscribe({ signal: stop.signal })[Symbol.asyncIterator]()
    await iterator.next()
    if (leave === 'return') await iterator.return?.()
    else stop.abort()
    return new WeakRef(stop.signal)
  }
  const signals = [await comeAndGo('return'), await comeAndGo('abort')]
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(signals.map((signal) => signal.deref())).toEqual([undefined, undefined])
  await channel.send(del('b'))
})
