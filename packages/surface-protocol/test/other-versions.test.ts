import { expect, test } from 'vitest'
import { call, createSurfaceStore, createSurfaceWriter, uiV09 } from '@x/surface-protocol'
import { createSurfaceChannel } from '@x/surface-protocol/http'
import { v1 } from '@x/surface-protocol/v1'
import { create, define, write } from './v09-messages.ts'

test('SN-57 SN-58 SN-59: a channel with a store computes functions for 0.8 and reports losses', async () => {
  const losses: unknown[] = []
  const writer = createSurfaceWriter({
    version: '0.9.1',
    send: (message) => channel.send(message),
  })
  const channel = createSurfaceChannel({
    version: '0.9.1',
    versions: ['0.8'],
    store: writer.store,
    history: 4,
    onLoss: ({ code, related }, to) => losses.push([code, related, to]),
  })
  const read = async (after = '') => {
    const viewer = createSurfaceStore()
    const stop = new AbortController()
    for await (const { id, message } of channel.subscribe({
      version: '0.8',
      after,
      signal: stop.signal,
    })) {
      expect(viewer.apply(message).applied).toBe(true)
      if (id === channel.lastId) break
    }
    return viewer.tree('s')?.properties.text
  }
  const text = call('formatString', { value: 'Welcome, ${/who/name}' })
  await writer.render('s', { data: { who: { name: 'Ida' } }, root: uiV09.Text({ text }) })
  expect(await read()).toBe('Welcome, Ida')
  await writer.update('s', '/who/name', 'Eva')
  expect(await read()).toBe('Welcome, Eva')
  for (const name of ['Per', 'Uma', 'Kim']) await writer.update('s', '/who/name', name)
  // The first messages are gone: the viewer gets the state.
  expect(await read()).toBe('Welcome, Kim')
  expect(losses).toEqual([])
  await writer.render('s', { root: uiV09.Icon({ name: { svgPath: 'M0 0' } }) })
  await writer.render('s', { root: uiV09.Icon({ name: { svgPath: 'M1 1' } }) })
  expect(losses).toEqual([['lossy_conversion', ['svgPath'], '0.8']])
})

test('SN-54: a snapshot in another version is its conversion, with functions as values for 0.8', () => {
  const store = createSurfaceStore({ version: '0.9.1' })
  const text = { call: 'formatString', args: { value: 'Hi ${/who}' } }
  store.applyAll([
    create(),
    write('/', { who: 'Ida', list: [null, 2] }),
    define({ id: 'root', component: 'Text', text }),
  ])
  const earlier = createSurfaceStore()
  const later = createSurfaceStore({ version: v1 })
  const same = createSurfaceStore({ version: '0.9' })
  for (const [target, version] of [
    [earlier, '0.8'],
    [later, v1],
    [same, '0.9'],
  ] as const) {
    const results = target.applyAll(store.snapshot('s', { version }))
    expect(results.map(({ applied }) => applied)).not.toContain(false)
    expect(target.tree('s')?.properties.text).toBe('Hi Ida')
  }
  expect(later.get('s')?.data).toEqual({ who: 'Ida', list: [null, 2] })
  expect(store.snapshot('s', { version: '0.9' })[0]).toMatchObject({ version: 'v0.9' })
  expect(store.snapshot('other', { version: '0.8' })).toEqual([])
  expect(() => store.snapshot('s', { version: '1.0' as never })).toThrow(TypeError)
  const back = createSurfaceStore({ version: '0.9.1' })
  back.applyAll(earlier.snapshot(undefined, { version: '0.9.1' }))
  expect(back.tree('s')?.properties.text).toBe('Hi Ida')
})
