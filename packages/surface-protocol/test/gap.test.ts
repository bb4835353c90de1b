import { describe, expect, test } from 'vitest'
import {
  bind,
  createSurfaceStore,
  createSurfaceWriter,
  each,
  uiV09,
  type AnyServerMessage,
  type JsonObject,
} from '@x/surface-protocol'
import { createSurfaceChannel, type ChannelItem } from '@x/surface-protocol/http'

const kinds = (messages: readonly object[]) =>
  messages.map((message) => Object.keys(message).find((key) => key !== 'version'))

function world(options: { version?: '0.9' | '0.8'; history?: number; mirror?: boolean } = {}) {
  const { version, history = 2, mirror = false } = options
  const writer = createSurfaceWriter({ version: '0.9.1', send: (message) => channel.send(message) })
  const channel = createSurfaceChannel({
    version: '0.9.1',
    versions: ['0.9.1', '0.9', '0.8'],
    history,
    ...(mirror ? {} : { store: writer.store }),
  })
  /** What a viewer gets that comes back with an id, up to the present. */
  const back = async (after?: string | null): Promise<AnyServerMessage[]> => {
    const leaving = new AbortController()
    const seen: ChannelItem[] = []
    const items = channel.subscribe({
      signal: leaving.signal,
      ...(version === undefined ? {} : { version }),
      ...(after == null ? {} : { after }),
    })
    for await (const item of items) {
      seen.push(item)
      if (item.id === channel.lastId) leaving.abort()
    }
    return seen.map(({ message }) => message)
  }
  const row = uiV09.TextField({ label: 'Row', value: bind('text') })
  const form = (data: JsonObject) => ({
    data,
    root: uiV09.Column({
      children: [
        uiV09.TextField({ label: 'Name', value: bind('/form/name') }),
        uiV09.CheckBox({ label: 'Yes', value: bind('/form/yes') }),
        uiV09.Text({ text: bind('/note') }),
        uiV09.List({
          children: each('/rows', mirror ? uiV09.Text({ text: bind('text') }) : row),
        }),
      ],
    }),
  })
  return { writer, channel, back, form }
}
const first = { form: { name: '', yes: false }, note: 'a', old: 1, rows: [{ text: 'r' }] }

describe.each([{}, { mirror: true }, { version: '0.9' as const }])('SX-20: %o', (options) => {
  test('a viewer that missed more than the history keeps what its user typed', async () => {
    const { writer, channel, back, form } = world(options)
    await writer.render('s', form(first))
    await writer.render('gone', { root: uiV09.Divider({}) })
    const viewer = createSurfaceStore({ version: '0.9.1' })
    viewer.applyAll(await back())
    const { lastId } = channel
    viewer.setData('s', '/form/name', 'Ada')
    viewer.setData('s', '/form/yes', true)
    // A mirror knows no rows.
    const row = 'mirror' in options ? 'r' : 'typed'
    viewer.setData('s', '/rows/0/text', row)
    await writer.update('s', '/form/yes', false)
    await writer.update('s', '/note', 'b')
    await writer.remove('s', '/old')
    await writer.delete('gone')
    await writer.render('new', { root: uiV09.Text({ text: 'new' }) })
    const missed = await back(lastId)
    const ofForm = missed.filter((message) => JSON.stringify(message).includes('"s"'))
    expect(kinds(ofForm)).not.toContain('createSurface')
    expect(kinds(ofForm)).not.toContain('deleteSurface')
    for (const result of viewer.applyAll(missed)) expect(result.applied).toBe(true)
    expect(viewer.getData('s')).toEqual({
      form: { name: 'Ada', yes: false },
      note: 'b',
      rows: [{ text: row }],
    })
    expect(viewer.surfaceIds().toSorted()).toEqual(['new', 's'])
    await writer.update('s', '/rows', [{ text: 'server' }])
    await writer.update('s', '/note', 'c')
    await writer.update('s', '/note', 'd')
    viewer.applyAll(await back(lastId))
    expect(viewer.getData('s', '/rows')).toEqual([{ text: 'server' }])
    expect(viewer.getData('s', '/form/name')).toBe('Ada')
  })

  test('a surface that was created again is sent whole', async () => {
    const { writer, channel, back, form } = world(options)
    await writer.render('s', form(first))
    const { lastId } = channel
    await writer.delete('s')
    await writer.render('s', form(first))
    expect(kinds(await back(lastId)).slice(0, 2)).toEqual(['deleteSurface', 'createSurface'])
  })
})

test('SX-20: what is not known is sent whole: other channels, 0.8, too many removals', async () => {
  const { writer, channel, back, form } = world()
  await writer.render('s', form(first))
  const { lastId } = channel
  for (let i = 0; i < 3; i += 1) await writer.update('s', '/note', `${i}`)
  expect(kinds(await back('another.1'))).toContain('deleteSurface')
  const older = world({ version: '0.8' })
  await older.writer.render('s', form(first))
  const { lastId: olderId } = older.channel
  for (let i = 0; i < 3; i += 1) await older.writer.update('s', '/note', `${i}`)
  expect(kinds(await older.back(olderId))).toContain('deleteSurface')
  for (let i = 0; i < 1001; i += 1) {
    await writer.render(`t${i}`, { root: uiV09.Divider({}) })
    await writer.delete(`t${i}`)
  }
  expect(kinds(await back(lastId))).toContain('createSurface')
})
