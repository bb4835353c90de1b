import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  bind,
  call,
  check,
  createSurfaceStore,
  createSurfaceWriter,
  createUi,
  each,
  event,
  run,
  uiV09,
  validateSubmission,
  type JsonObject,
} from '@x/surface-protocol'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  type ChannelItem,
} from '@x/surface-protocol/http'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const version = '0.9.1'
const keysOf = (messages: object[]) => messages.map((message) => Object.keys(message)[1])
const writing = () => {
  const sent: JsonObject[] = []
  const writer = createSurfaceWriter({
    version,
    send: (message) => void sent.push(message),
  })
  const taken = () => sent.splice(0)
  return { writer, taken }
}
const root = (label: string) =>
  uiV09.Column({
    children: [
      uiV09.Text({ text: call('formatString', { value: `${label} \${/n}` }) }),
      uiV09.TextField({
        label: 'Mail',
        value: bind('/mail'),
        checks: [check(call('email', { value: bind('/mail') }), 'No address.')],
      }),
      uiV09.List({ children: each('/rows', uiV09.Text({ text: bind('name') })) }),
      uiV09.Tabs({ tabs: [{ title: 'One', child: uiV09.Divider({}) }] }),
      uiV09
        .Button({
          child: uiV09.Text({ text: 'Send' }),
          action: event('send', { mail: bind('/mail') }),
        })
        .id('send'),
      uiV09.Button({
        child: uiV09.Text({ text: 'Open' }),
        action: run(call('openUrl', { url: 'https://host.example' })),
      }),
    ],
  })

describe('SN-55 SN-56: the writer', () => {
  test('createSurface once, then the differences; equal input sends nothing', async () => {
    const { writer, taken } = writing()
    const data = { n: 1, mail: '', rows: [{ name: 'a' }, { name: 'b' }], old: null }
    await writer.render('s', { root: root('N'), data, theme: { primaryColor: '#00BFFF' } })
    const first = taken()
    expect(keysOf(first)).toEqual(['createSurface', 'updateDataModel', 'updateComponents'])
    const { components } = (first[2]?.updateComponents ?? {}) as { components: JsonObject[] }
    expect(components.map(({ id }) => id)).toEqual([
      'root',
      'root_0',
      'root_1',
      'root_2',
      'root_2_template',
      'root_3',
      'root_3_tabs_0',
      'send',
      'send_child',
      'root_5',
      'root_5_child',
    ])
    expect(components[3]).toEqual({
      id: 'root_2',
      component: 'List',
      children: { componentId: 'root_2_template', path: '/rows' },
    })
    await writer.render('s', { root: root('N'), data, theme: { primaryColor: '#00BFFF' } })
    expect(taken()).toEqual([])
    const { old: _, ...rest } = data
    const next = { ...rest, rows: [{ name: 'a' }, { name: 'c' }] }
    await writer.render('s', { root: root('M'), data: next, theme: { primaryColor: '#00BFFF' } })
    const [written, changed, removed] = taken()
    expect(changed).toMatchObject({ updateComponents: { components: [{ id: 'root_0' }] } })
    expect([written, removed].map((one) => one?.updateDataModel)).toEqual([
      { surfaceId: 's', path: '/rows/1/name', value: 'c' },
      { surfaceId: 's', path: '/old' },
    ])
    await writer.render('s', { root: root('M'), data: { ...next, rows: [] } })
    expect(keysOf(taken())[0]).toBe('deleteSurface')
    await writer.update('s', '/a/b', [null])
    await writer.remove('s', '/a')
    await writer.delete('s')
    expect(taken()).toEqual([
      { version: 'v0.9.1', updateDataModel: { surfaceId: 's', path: '/a/b', value: [null] } },
      { version: 'v0.9.1', updateDataModel: { surfaceId: 's', path: '/a' } },
      { version: 'v0.9.1', deleteSurface: { surfaceId: 's' } },
    ])
  })

  test.each(['0.9.1', v1] as const)(
    'SN-55: removing an item closes the gap (%s)',
    async (asked) => {
      const sent: unknown[] = []
      const writer = createSurfaceWriter({
        version: asked,
        send: (message) => void sent.push(message),
      })
      const list = { children: [] }
      const column = asked === '0.9.1' ? uiV09.Column(list) : createUi(basicCatalogV1).Column(list)
      await writer.render('s', {
        root: column,
        data: { rows: [1, { deep: [2, 3] }, 4], map: { 0: 'a' } },
      })
      await writer.remove('s', '/rows/0')
      await writer.remove('s', 'rows/0/deep/1')
      await writer.remove('s', '/rows/7')
      await writer.remove('s', '/map/0')
      expect(writer.store.getData('s')).toEqual({ rows: [{ deep: [2] }, 4], map: {} })
      const viewer = createSurfaceStore({ version: asked as '0.9.1' })
      viewer.applyAll(sent)
      expect(viewer.getData('s')).toEqual(writer.store.getData('s'))
    },
  )

  test('invalid messages are not sent; unreceived ones are sent again', async () => {
    const { writer, taken } = writing()
    const wrong = uiV09.Text({ text: 5 })
    await expect(writer.render('s', { root: wrong })).rejects.toMatchObject({
      code: 'invalid_property_value',
    })
    await expect(writer.render('s', { root: uiV09.Divider({}).id('x') })).rejects.toMatchObject({
      code: 'invalid_value',
    })
    expect(taken()).toEqual([])
    let fails = true
    const sent: object[] = []
    const other = createSurfaceWriter({
      version,
      send(message) {
        if (fails) throw new Error('gone')
        sent.push(message)
      },
    })
    await expect(other.render('s', { root: uiV09.Divider({}) })).rejects.toThrow('gone')
    fails = false
    await other.render('s', { root: uiV09.Divider({}) })
    expect(keysOf(sent)).toEqual(['deleteSurface', 'createSurface', 'updateComponents'])
    await expect(
      createSurfaceWriter({ send: () => undefined }).remove('s', '/a'),
    ).rejects.toMatchObject({
      code: 'unsupported_version',
    })
  })

  test('whatever the data, the receiver has them', async () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonObject[string]>
    const model = fc.dictionary(fc.constantFrom('a', 'b', '0', '~/', ''), json)
    const { counterexample } = await fc.check(
      fc.asyncProperty(fc.array(model, { minLength: 1, maxLength: 4 }), async (models) => {
        const client = createSurfaceStore({ version })
        const writer = createSurfaceWriter({
          version,
          send: (message) => void client.apply(message),
        })
        for (const data of models) {
          await writer.render('s', { root: uiV09.Divider({}), data })
          const wanted = JSON.parse(JSON.stringify(data)) as JsonObject
          expect(client.getData('s')).toEqual(wanted)
        }
      }),
      { numRuns: 200, seed: 3 },
    )
    expect(counterexample).toBeNull()
  })
})

describe('SN-53 SN-57: one channel, several versions', () => {
  const serving = (history = 1000) => {
    const channel = createSurfaceChannel({ version, versions: ['0.9.1', '0.9', '0.8'], history })
    const writer = createSurfaceWriter({ version, send: (message) => channel.send(message) })
    return { channel, writer }
  }
  const read = async (items: AsyncIterable<ChannelItem>, count = Infinity) => {
    const taken: ChannelItem[] = []
    for await (const item of items) {
      taken.push(item)
      if (taken.length === count) break
    }
    return taken
  }
  const messagesOf = (items: ChannelItem[]) =>
    items.map(({ message }) => message as unknown as JsonObject)

  test('each subscriber gets its own version, and can resume', async () => {
    const { channel, writer } = serving()
    await writer.render('s', {
      root: uiV09.Text({ text: bind('/rows/0/n') }),
      data: { rows: [{ n: 1 }] },
    })
    await writer.update('s', '/rows/0/n', 7)
    channel.close()
    const own = await read(channel.subscribe())
    expect(messagesOf(own).at(-1)).toEqual({
      version: 'v0.9.1',
      updateDataModel: { surfaceId: 's', path: '/rows/0/n', value: 7 },
    })
    const old = await read(channel.subscribe({ version: '0.8' }))
    expect(messagesOf(old).at(-1)).toEqual({
      dataModelUpdate: {
        surfaceId: 's',
        path: '/rows/0',
        contents: [{ key: 'n', valueNumber: 7 }],
      },
    })
    const [first] = await read(channel.subscribe({ version: '0.9' }), 1)
    expect(first?.message).toMatchObject({ version: 'v0.9' })
    const store = createSurfaceStore()
    store.applyAll(messagesOf(old))
    expect(store.tree('s')).toMatchObject({ type: 'Text', properties: { text: '7' } })
    // A message that becomes several carries its id on the last item.
    const ids = old.map(({ id }) => id)
    expect(new Set(ids.filter((id) => id !== '')).size).toBeLessThan(ids.length)
    for (let cut = 1; cut <= old.length; cut += 1) {
      const client = createSurfaceStore()
      const before = await read(channel.subscribe({ version: '0.8' }), cut)
      client.applyAll(messagesOf(before))
      const after = before.at(-1)?.id ?? ''
      client.applyAll(messagesOf(await read(channel.subscribe({ version: '0.8', after }))))
      expect(client.tree('s')).toEqual(store.tree('s'))
    }
    expect(() => channel.subscribe({ version: '1.0' as '0.9' })[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'unsupported_version' }),
    )
  })

  test('a late subscriber gets the state in its version', async () => {
    const { channel, writer } = serving(2)
    await writer.render('s', { root: uiV09.Text({ text: bind('/n') }), data: { n: 0 } })
    for (let n = 1; n < 9; n += 1) await writer.update('s', '/n', n)
    channel.close()
    const late = createSurfaceStore({ version })
    late.applyAll(messagesOf(await read(channel.subscribe())))
    expect(late.get('s')).toMatchObject({
      status: 'rendered',
      data: { n: 8 },
      catalogId: basicCatalogV09.catalogId,
    })
    const old = createSurfaceStore()
    old.applyAll(messagesOf(await read(channel.subscribe({ version: '0.8' }))))
    expect(old.tree('s')).toMatchObject({ properties: { text: '8' } })
    expect(() => createSurfaceChannel({ version, store: createSurfaceStore() })).toThrow(TypeError)
  })

  test('the handler negotiates by header, then by query; a POST is read in its own version', async () => {
    const { channel, writer } = serving()
    await writer.render('s', { root: root('N'), data: { mail: 'ida@host.example' } })
    channel.close()
    const received: object[] = []
    const handler = createSurfaceHandler({
      open: () => channel,
      onClientMessage: (message) => void received.push(message),
    })
    const get = async (headers: Record<string, string>, query = '') => {
      const response = await handler(new Request(`http://host.example/s${query}`, { headers }))
      const text = await response.text()
      return [
        response.status,
        response.headers.get('a2ui-version'),
        response.headers.get('vary'),
        text,
      ] as const
    }
    const [status, chosen, vary, text] = await get({ 'a2ui-version': '1.0, 0.8' })
    expect([status, chosen, vary]).toEqual([200, '0.8', 'A2UI-Version, A2UI-Catalogs'])
    expect(text).toContain('surfaceUpdate')
    expect((await get({}, '?a2uiVersion=0.9'))[1]).toBe('0.9')
    expect((await get({}))[1]).toBe('0.9.1')
    const [refused, , , body] = await get({ 'a2ui-version': '2.0' })
    expect([refused, body]).toEqual([406, expect.stringContaining('unsupported_version')])
    const action = {
      name: 'send',
      surfaceId: 's',
      sourceComponentId: 'send',
      timestamp: '2026-01-05T08:00:00Z',
      context: { mail: 'ida@' },
    }
    const post = (message: object) =>
      handler(
        new Request('http://host.example/s', {
          method: 'POST',
          body: JSON.stringify(message),
          headers: { 'content-type': 'application/json' },
        }),
      )
    expect((await post({ version: 'v0.9.1', action })).status).toBe(202)
    expect((await post({ userAction: action })).status).toBe(202)
    expect((await post({ action })).status).toBe(422)
    expect(received).toHaveLength(2)
    expect(validateSubmission(writer.store, received[0]).diagnostics).toMatchObject([
      { code: 'check_failed', componentId: 'root_1', message: 'No address.' },
    ])
  })
})
