import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bind,
  basicCatalogIds,
  createSurfaceBuilder,
  createSurfaceStore,
  createSurfaceWriter,
  each,
  event,
  standardCatalogV08,
  ui,
  uiV09,
  type AnyServerMessage,
  type JsonObject,
  type JsonValue,
} from '@x/surface-protocol'
import { createSurfaceChannel } from '@x/surface-protocol/http'
import { createVersionAdapter } from '@x/surface-protocol/interop'

type Instance = { id: string; component: Record<string, JsonObject>; weight?: number }

/** A receiver that, like the public 0.8 client, refuses updates that rely on earlier ones, and replaces data. */
function strictReceiver() {
  const store = createSurfaceStore()
  return {
    store,
    take(message: AnyServerMessage) {
      expect(store.apply(message)).toMatchObject({ applied: true })
      if (!('surfaceUpdate' in message)) return
      const ids = new Set(message.surfaceUpdate.components.map(({ id }) => id))
      for (const { component } of message.surfaceUpdate.components as Instance[]) {
        const [[type, properties] = ['', {}]] = Object.entries(component)
        const missing = store.get(message.surfaceUpdate.surfaceId)?.missing ?? []
        for (const { componentId } of catalogReferences(type, properties)) {
          if (!missing.includes(componentId)) expect(ids).toContain(componentId)
        }
      }
    },
  }
}
function catalogReferences(type: string, properties: object) {
  return standardCatalogV08.references(type, properties)
}

function mixed() {
  const losses: { related?: string[]; componentId?: string }[] = []
  const writer = createSurfaceWriter({
    version: '0.9.1',
    send: (message) => channel.send(message),
  })
  const channel = createSurfaceChannel({
    store: writer.store,
    versions: ['0.9.1', '0.8'],
    onLoss: (loss) => losses.push(loss),
  })
  const older = strictReceiver()
  const sent: AnyServerMessage[] = []
  const iterator = channel.subscribe({ version: '0.8' })[Symbol.asyncIterator]()
  const drain = async () => {
    await writer.update('end', '/n', 1).catch(() => undefined)
    await channel.send({ version: 'v0.9.1', deleteSurface: { surfaceId: 'end' } })
    for (;;) {
      const { value } = (await iterator.next()) as { value: { message: AnyServerMessage } }
      if ('deleteSurface' in value.message && value.message.deleteSurface.surfaceId === 'end')
        return
      sent.push(value.message)
      older.take(value.message)
    }
  }
  return { writer, channel, older: older.store, sent, drain, losses }
}

/** Data as version 0.8 can hold them: arrays as maps, without null. */
function asMaps(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, asMaps(item)]),
  )
}

const list = (heading: string) =>
  uiV09.Column({
    children: [
      uiV09.Text({ text: heading }),
      uiV09.List({ children: each('/rows', uiV09.Text({ text: bind('t') })) }),
    ],
  })

describe('SX-14 SX-15: a channel with viewers of two versions loses nothing', () => {
  test('rows appended, changed, removed, components added and replaced', async () => {
    const { writer, older, drain, losses } = mixed()
    const rows = (...texts: string[]) => ({ rows: texts.map((t) => ({ t })), n: 0 })
    const check = async (view: { root: ReturnType<typeof list>; data: JsonObject }) => {
      await writer.render('s', view)
      await drain()
      expect(older.get('s')?.data).toEqual(asMaps(view.data))
      const tree = older.tree('s')?.properties.children as { properties: { children: object[] } }[]
      expect(tree[1]?.properties.children).toHaveLength((view.data.rows as object[]).length)
    }
    await check({ root: list('A'), data: rows('a', 'b', 'c') })
    await check({ root: list('A'), data: rows('a', 'b', 'c', 'd') })
    await check({ root: list('A'), data: rows('a', 'x', 'c', 'd') })
    await check({ root: list('A'), data: rows('a', 'c', 'd') })
    await check({ root: list('B'), data: rows('a', 'c', 'd') })
    await writer.update('s', '/rows/1/t', 'y')
    await drain()
    expect(older.getData('s', '/rows/1/t')).toBe('y')
    expect(losses).toEqual([])
  })

  test('whatever the data, the 0.8 viewer has them', async () => {
    const leaf = fc.constantFrom<JsonValue>('x', 1, true)
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('k', 'l'), leaf),
    )
    const model = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value)
    const { counterexample } = await fc.check(
      fc.asyncProperty(fc.array(model, { minLength: 1, maxLength: 5 }), async (models) => {
        const { writer, older, drain } = mixed()
        for (const data of models) {
          await writer.render('s', { root: uiV09.Divider({}), data: data })
          await drain()
          expect(older.get('s')?.data).toEqual(asMaps(data as JsonObject))
        }
      }),
      { numRuns: 40 },
    )
    expect(counterexample).toBeNull()
  })
})

/** No string but a reference equals an id. */
function expectDistinct(messages: readonly object[]): void {
  const store = createSurfaceStore()
  for (const message of messages) {
    store.apply(message)
    for (const surfaceId of store.surfaceIds()) {
      const components = (store.get(surfaceId)?.components ?? []) as Instance[]
      const tree = new Set<string>()
      const visit = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return
        if ('componentId' in node) tree.add(String(node.componentId))
        for (const member of Object.values(node)) visit(member)
      }
      visit(store.tree(surfaceId))
      const ids = new Set(components.map(({ id }) => id).filter((id) => tree.has(id)))
      for (const { id, component } of components.filter((one) => tree.has(one.id))) {
        const [[type, properties] = ['', {}]] = Object.entries(component)
        const references = catalogReferences(type, properties).map((one) => one.componentId)
        const texts: string[] = []
        const collect = (value: unknown): void => {
          if (typeof value === 'string') texts.push(value)
          else if (typeof value === 'object' && value !== null)
            Object.values(value).forEach(collect)
        }
        collect(properties)
        for (const reference of references) texts.splice(texts.indexOf(reference), 1)
        expect(
          texts.filter((text) => ids.has(text)),
          `${id} in ${JSON.stringify(component)}`,
        ).toEqual([])
      }
    }
  }
}

describe('SX-14a: a text that equals an id', () => {
  test.each(['root', 'root_0', 'root_1', 'go'])('%s, also when it comes later', async (word) => {
    const { writer, sent, drain, older, channel } = mixed()
    const page = (text: string) =>
      uiV09.Column({
        children: [
          uiV09.Text({ text }),
          uiV09.ChoicePicker({ options: [{ label: 'L', value: word }], value: bind('/v') }),
          uiV09
            .Button({ child: uiV09.Text({ text: 'Go' }), action: event(word, { [word]: 'x' }) })
            .id('go'),
        ],
      })
    await writer.render('s', { root: page('plain'), data: { v: [] } })
    await drain()
    await writer.render('s', { root: page(word), data: { v: [] } })
    await drain()
    expectDistinct(sent)
    expect(older.get('s')?.missing).toEqual([])
    const names = sent.flatMap((one) =>
      'surfaceUpdate' in one ? one.surfaceUpdate.components.map(({ id }) => id) : [],
    )
    expect(names).toContain(`${word}~1`)
    if (word !== 'go') return
    const back = channel.fromClient({
      userAction: {
        name: 'go',
        surfaceId: 's',
        sourceComponentId: 'go~1',
        timestamp: '2026-11-28T08:00:00Z',
        context: { go: 'x' },
      },
    })
    expect(back).toMatchObject({ action: { sourceComponentId: 'go' } })
  })

  test('of a builder and of a writer of 0.8 in the self-contained form', async () => {
    const page = (text: string) =>
      ui.Column({ children: [ui.Text({ text }), ui.Text({ text: 'b' })] })
    const builder = createSurfaceBuilder('s').root(page('root'))
    expectDistinct(builder.toMessages({ selfContained: true }))
    const sent: AnyServerMessage[] = []
    const writer = createSurfaceWriter({ selfContained: true, send: (one) => void sent.push(one) })
    for (const text of ['plain', 'root', 'root.0', 'plain', 'root.1']) {
      await writer.render('s', { root: page(text) })
    }
    expectDistinct(sent)
    sent.length = 0
    await writer.render('s', { root: page('root.1') })
    expect(sent).toEqual([])
  })
})

function instancesOf(message: JsonObject = {}): Instance[] {
  const { components = [] } = (message.surfaceUpdate ?? {}) as { components?: Instance[] }
  return components
}

describe('SX-16: labels of 0.9.1 in 0.8', () => {
  test('a label stands before its input, in a group with the weight', () => {
    const adapter = createVersionAdapter({ from: '0.9.1', to: '0.8' })
    const say = (components: object[]) =>
      adapter.push({ version: 'v0.9.1', updateComponents: { surfaceId: 's', components } })
    adapter.push({
      version: 'v0.9.1',
      createSurface: { surfaceId: 's', catalogId: basicCatalogIds[0] ?? '' },
    })
    const slider = { id: 'v', component: 'Slider', label: 'Volume', value: 1, max: 2, weight: 3 }
    const [first] = say([
      { id: 'root', component: 'Row', children: ['v', 'd'] },
      slider,
      { id: 'd', component: 'DateTimeInput', value: '', label: { path: '/when' } },
    ])
    const instances = instancesOf(first)
    const byId = new Map(instances.map((one) => [one.id, one]))
    expect(byId.get('root')?.component.Row?.children).toEqual({
      explicitList: ['v_group', 'd_group'],
    })
    expect(byId.get('v_group')).toEqual({
      id: 'v_group',
      weight: 3,
      component: { Column: { children: { explicitList: ['v_label', 'v'] } } },
    })
    expect(byId.get('v_label')?.component.Text).toEqual({
      text: { literalString: 'Volume' },
      usageHint: 'caption',
    })
    expect(byId.get('d_label')?.component.Text?.text).toEqual({ path: '/when' })
    const { label: _, ...plain } = slider
    const [later] = say([plain])
    const again = instancesOf(later)
    expect(again.find(({ id }) => id === 'root')?.component.Row?.children).toEqual({
      explicitList: ['v', 'd_group'],
    })
    expect(adapter.diagnostics).toEqual([])
  })
})

describe('SX-18: maps that a template of 0.8 iterates are lists in 0.9.1', () => {
  async function inbox() {
    const messages: JsonObject[] = []
    const adapter = createVersionAdapter({ from: '0.8', to: '0.9.1' })
    const client = createSurfaceStore({ version: '0.9.1' })
    const writer = createSurfaceWriter({
      send(message) {
        for (const one of adapter.push(message)) {
          messages.push(one)
          expect(client.apply(one).diagnostics).toEqual([])
        }
      },
    })
    const root = (key: string) =>
      ui.Column({
        children: [
          ui.List({ children: each('/mails', ui.Text({ text: bind('from') })) }),
          ui.Text({ text: bind(`/mails/${key}/from`) }),
        ],
      })
    const shown = () => {
      const [mails, one] = (client.tree('s')?.properties.children ?? []) as [
        { properties: { children: { properties: { text: string } }[] } },
        { properties: { text: string } },
      ]
      return [
        mails.properties.children.map(({ properties }) => properties.text),
        one.properties.text,
      ]
    }
    return { adapter, writer, root, shown, taken: () => messages.splice(0) }
  }

  test('later updates, removals and new keys reach the client', async () => {
    const { adapter, writer, root, shown, taken } = await inbox()
    const render = (mails: JsonObject, key = 'm2') =>
      writer.render('s', { root: root(key), data: { mails } })
    await render({ m1: { from: 'Ida' }, m2: { from: 'Per' } })
    expect(shown()).toEqual([['Ida', 'Per'], 'Per'])
    taken()
    await writer.update('s', '/mails/m2', { from: 'Zoe' })
    expect(taken()).toMatchObject([{ updateDataModel: { path: '/mails/1/from', value: 'Zoe' } }])
    expect(shown()).toEqual([['Ida', 'Zoe'], 'Zoe'])
    await writer.update('s', '/mails', { m3: { from: 'Eve' } })
    expect(shown()).toEqual([['Ida', 'Zoe', 'Eve'], 'Zoe'])
    await render({ m2: { from: 'Zoe' }, m3: { from: 'Eve' } })
    expect(shown()).toEqual([['Zoe', 'Eve'], 'Zoe'])
    expect(adapter.diagnostics).toEqual([])
    await render({ m2: { from: 'Zoe' }, m3: { from: 'Eve' } }, 'none')
    expect(adapter.diagnostics).toMatchObject([
      { code: 'lossy_conversion', related: ['template'], severity: 'warning' },
    ])
  })

  test('a list within a list', () => {
    const { convert } = { convert: createVersionAdapter({ from: '0.8', to: '0.9.1' }) }
    const client = createSurfaceStore({ version: '0.9.1' })
    const messages = createSurfaceBuilder('s')
      .root(
        ui.List({
          children: each(
            '/teams',
            ui.List({ children: each('people', ui.Text({ text: bind('name') })) }),
          ),
        }),
      )
      .data({
        teams: { 10: { people: { b: { name: 'Bo' }, a: { name: 'Al' } } }, 2: { people: {} } },
      })
      .toMessages()
    for (const message of messages) for (const one of convert.push(message)) client.apply(one)
    expect(client.getData('s')).toMatchObject({
      teams: [{ people: [] }, { people: [{ name: 'Bo' }, { name: 'Al' }] }],
    })
  })
})
