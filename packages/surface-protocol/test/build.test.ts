import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bind,
  buildComponents,
  createSurfaceBuilder,
  createSurfaceStore,
  createSurfaceWriter,
  dataModelUpdate,
  defaultLimits,
  deleteSurface,
  diffSurface,
  each,
  formatEntries,
  parseEntries,
  ref,
  surfaceUpdate,
  toSelfContained,
  ui,
  type JsonObject,
  type JsonValue,
  type AnyServerMessage,
  type ServerMessage,
  type SurfaceDiagnostic,
  type SurfaceState,
  type SurfaceStore,
  type TreeNode,
  type UiNode,
} from '@x/surface-protocol'
import { formatTree, generateSurface } from '@x/surface-protocol/testing'

const text = (value: string) => ui.Text({ text: value })
const fill = (messages: Iterable<unknown>, store = createSurfaceStore()): SurfaceStore => {
  for (const { applied, diagnostics } of store.applyAll(messages)) {
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(applied).toBe(true)
  }
  return store
}
const essence = (store: SurfaceStore, id: string) => {
  const view = store.get(id)
  const { data, root, catalogId, styles, status } = view ?? {}
  return { tree: formatTree(store.tree(id)), data, root, catalogId, styles, status }
}
/** A map in `levels` maps with a number in it. */
const nested = (levels: number, leaf: number): JsonObject =>
  levels === 0 ? { leaf } : { k: nested(levels - 1, leaf) }
const seeds = fc.integer({ min: 0, max: 1_000_000 })
/** Another surface under the same id, with rows in the order in which their keys are numbered. */
const variant = (seed: number, surfaceId: string): SurfaceState => {
  const state = generateSurface(seed)
  const rows = Object.entries(state.data.rows ?? {})
    .map(([key, row]): [string, JsonValue] => [`r${key}`, row])
    .toSorted(([a], [b]) => Number(a.at(-1)) - Number(b.at(-1)))
  return { ...state, surfaceId, data: { ...state.data, rows: Object.fromEntries(rows) } }
}

describe('builder', () => {
  test('SP-65: slots take literals, bindings, nodes and actions', () => {
    const [first] = createSurfaceBuilder('s')
      .root(
        ui.Button({
          child: text('go'),
          action: { name: 'go', context: { a: 1, b: bind('/x'), c: true } },
        }),
      )
      .toMessages()
    expect(first).toEqual({
      surfaceUpdate: {
        surfaceId: 's',
        components: [
          {
            id: 'root',
            component: {
              Button: {
                child: 'root.child',
                action: {
                  name: 'go',
                  context: [
                    { key: 'a', value: { literalNumber: 1 } },
                    { key: 'b', value: { path: '/x' } },
                    { key: 'c', value: { literalBoolean: true } },
                  ],
                },
              },
            },
          },
          { id: 'root.child', component: { Text: { text: { literalString: 'go' } } } },
        ],
      },
    })
    const node = text('x')
    expect(node.id('a')).not.toBe(node)
    // @ts-expect-error a text takes no number
    const wrong = ui.Text({ text: 5 })
    expect(() => createSurfaceBuilder('s').root(wrong).toMessages()).toThrow(
      expect.objectContaining({ code: 'invalid_property_value' }),
    )
  })

  test('SP-65: a node is frozen and keeps the properties it was given', () => {
    expect(() => Object.assign(text('x'), { type: 'Row' })).toThrow(TypeError)
    const given = { text: 'before' }
    const node = ui.Text(given)
    given.text = 'after'
    expect(JSON.stringify(buildComponents(node))).toContain('"before"')
    const bare: unknown = Reflect.apply(ui.Text, undefined, [])
    expect(() => buildComponents(bare as UiNode)).toThrow(
      expect.objectContaining({ code: 'missing_property' }),
    )
  })

  test('SP-66: ids of their own, ids twice, references', () => {
    const build = (root: UiNode) => createSurfaceBuilder('s').root(root).toMessages()
    const twice = ui.Row({ children: [text('a').id('x'), text('b').id('x')] })
    expect(() => build(twice)).toThrow(expect.objectContaining({ code: 'duplicate_id' }))
    const loop = ui.Card({ child: ref('root') })
    expect(() => build(loop)).toThrow(expect.objectContaining({ code: 'circular_reference' }))
    const modal = () => build(ui.Modal({ entryPointChild: text('a'), contentChild: text('b') }))
    expect(JSON.stringify(modal())).toBe(JSON.stringify(modal()))
    expect(JSON.stringify(modal())).toContain('"root.entryPointChild"')
  })

  test('SP-67: initial values fill in what the data leaves open', () => {
    const a = ui.Text({ text: bind('/a', 'x') })
    const b = ui.Text({ text: bind('/b', 'y') })
    const builder = createSurfaceBuilder('s')
      .data({ a: 'given' })
      .root(ui.Row({ children: [a, b] }))
    expect(essence(fill(builder.toMessages()), 's').data).toEqual({ a: 'given', b: 'y' })
    expect(builder.toState().data).toEqual({ a: 'given', b: 'y' })
  })

  test('SP-68: objects and entries', () => {
    const leaf = fc.oneof(fc.string(), fc.boolean(), fc.integer())
    const value = fc.dictionary(fc.string(), fc.oneof(leaf, fc.dictionary(fc.string(), leaf)))
    fc.assert(
      fc.property(value, (object) => {
        const plain: JsonObject = { ...object }
        expect(parseEntries(formatEntries(plain))).toEqual(plain)
      }),
    )
    const found: SurfaceDiagnostic[] = []
    const options = { onDiagnostic: (one: SurfaceDiagnostic) => void found.push(one) }
    const entries = formatEntries({ a: ['x', null], b: null }, options)
    expect(entries).toEqual([{ key: 'a', valueMap: [{ key: '0', valueString: 'x' }] }])
    expect(found.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'lossy_conversion /a',
      'lossy_conversion /a/1',
      'lossy_conversion /b',
    ])
  })

  test('SP-68: values that are not JSON or nested too deep are refused', () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => formatEntries({ a: [number] })).toThrow(
        expect.objectContaining({ code: 'invalid_type', path: '/a/0' }),
      )
    }
    expect(formatEntries(nested(defaultLimits.jsonDepth, 1))).toHaveLength(1)
    expect(() => formatEntries(nested(defaultLimits.jsonDepth + 1, 1))).toThrow(
      expect.objectContaining({ code: 'limit_exceeded', limit: 'jsonDepth' }),
    )
  })
})

describe('diff and snapshot', () => {
  test('SP-69a SP-71: the difference applied to the one gives the other', () => {
    fc.assert(
      fc.property(seeds, seeds, fc.boolean(), (a, b, selfContained) => {
        const before = variant(a, 's')
        const after = variant(b, 's')
        const store = fill(diffSurface(null, before))
        fill(diffSurface(before, after, { selfContained }), store)
        expect(essence(store, 's')).toEqual(essence(fill(diffSurface(null, after)), 's'))
        expect(diffSurface(after, after)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('SP-71: nothing, gone, exact', () => {
    const state = generateSurface(1)
    expect(diffSurface(null, null)).toEqual([])
    expect(diffSurface(state, null)).toEqual([{ deleteSurface: { surfaceId: 'surface-1' } }])
    const fewer = { ...state, components: state.components.slice(0, 1) }
    expect(diffSurface(state, fewer)).toEqual([])
    expect(Object.keys(diffSurface(state, fewer, { exact: true })[0] ?? {})).toEqual([
      'deleteSurface',
    ])
    expect(() => diffSurface(state, generateSurface(2))).toThrow(TypeError)
  })

  test('SP-71: a change of root, catalog or styles sends beginRendering alone, one at the top of the data sends the model', () => {
    const before = variant(1, 's')
    const begun = (more: Partial<SurfaceState>) =>
      diffSurface(before, { ...before, ...more }).map((message) => Object.keys(message).join())
    expect(begun({ styles: { font: 'Other' } })).toEqual(['beginRendering'])
    expect(begun({ root: 'other' })).toEqual(['beginRendering'])
    expect(begun({ catalogId: 'urn:other' })).toEqual(['beginRendering'])
    const data = (value: SurfaceState['data']) => ({ ...before, data: value })
    const top = { a: 1, m: { x: 1, y: 1 } }
    expect(diffSurface(data(top), data({ a: 2, m: { x: 2, y: 1 } }))).toEqual([
      dataModelUpdate('s', { a: 2, m: { x: 2, y: 1 } }),
    ])
    expect(diffSurface(data(top), data({ m: { x: 1, y: 1 } }))).toEqual([
      dataModelUpdate('s', { m: { x: 1, y: 1 } }),
    ])
    expect(diffSurface(data(top), data({ a: 1, m: { x: 2, y: 1 } }))).toEqual([
      dataModelUpdate('s', { x: 2 }, '/m'),
    ])
  })

  test('SP-71: a removed root and components of another catalog rebuild the surface', () => {
    const before = variant(1, 's')
    const kinds = (after: SurfaceState) =>
      diffSurface(before, after).map((message) => Object.keys(message).join())
    expect(kinds({ ...before, root: null })).toEqual([
      'deleteSurface',
      'surfaceUpdate',
      'dataModelUpdate',
    ])
    const other = { id: 'other', component: { Other: {} } }
    const components = [...before.components, other]
    expect(kinds({ ...before, components })).toEqual(['surfaceUpdate'])
    expect(kinds({ ...before, components, catalogId: 'urn:other' })).toEqual([
      'deleteSurface',
      'surfaceUpdate',
      'dataModelUpdate',
      'beginRendering',
    ])
  })

  test('SP-71: values that no path can address are set through their parent', () => {
    const places: ((leaf: number) => JsonObject)[] = [
      (leaf) => ({ m: { '': { leaf, b: 1 } } }),
      (leaf) => ({ m: { ['x'.repeat(defaultLimits.pathLength)]: { leaf } } }),
      (leaf) => nested(defaultLimits.pathSegments + 6, leaf),
    ]
    for (const data of places) {
      const at = (leaf: number) => ({ ...variant(1, 's'), data: data(leaf) })
      const store = fill(diffSurface(null, at(1)))
      const [update, ...more] = diffSurface(at(1), at(2))
      expect(more).toEqual([])
      expect(fill([update], store).getData('s')).toEqual(data(2))
    }
  })

  test('SP-71: initial values of the components sent count', () => {
    const at = (n: number, a: string): SurfaceState =>
      createSurfaceBuilder('s')
        .data({ a })
        .root(ui.Row({ children: [ui.Text({ text: bind('/a', `initial ${n}`) })] }))
        .toState()
    const store = fill(diffSurface(null, at(1, 'kept')))
    fill(diffSurface(at(1, 'kept'), at(2, 'kept')), store)
    expect(store.getData('s')).toEqual({ a: 'kept' })
  })

  test('SP-70: a view of a store is a state, and plain JSON', () => {
    const view = fill(diffSurface(null, generateSurface(3))).get('surface-3')
    expect(JSON.parse(JSON.stringify(view))).toEqual(view)
    expect(diffSurface(view, generateSurface(3))).toEqual([])
  })

  test('SP-72: a snapshot brings about the same state', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const state = generateSurface(seed)
        const store = fill(diffSurface(null, state))
        const snapshot = store.snapshot()
        expect(snapshot.length).toBeLessThanOrEqual(3)
        const copy = fill(snapshot)
        const { revision: _, ...view } = store.get(state.surfaceId) ?? { revision: 0 }
        expect({ ...copy.get(state.surfaceId) }).toMatchObject(view)
        expect(copy.snapshot()).toEqual(snapshot)
      }),
      { numRuns: 40 },
    )
    const store = createSurfaceStore()
    store.apply(
      surfaceUpdate('s', [
        { id: 'a', component: { Text: { text: { path: 'x', literalString: 'y' } } } },
      ]),
    )
    store.apply(dataModelUpdate('s', {}))
    expect(fill(store.snapshot()).getData('s')).toEqual({})
  })

  test('SP-72 SP-88: a snapshot has the styles, and messages no larger than the limits', () => {
    const limits = { componentsPerMessage: 2 }
    const store = createSurfaceStore({ limits })
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) store.apply(surfaceUpdate('s', [{ id, component: { Divider: {} } }]))
    store.apply({ beginRendering: { surfaceId: 's', root: 'a', styles: { font: 'Sans' } } })
    const copy = fill(store.snapshot(), createSurfaceStore({ limits })).get('s')
    expect(copy?.components.map(({ id }) => id)).toEqual(ids)
    expect(copy?.styles).toEqual({ font: 'Sans' })
  })

  test('SP-27: surfaces do not disturb each other', () => {
    fc.assert(
      fc.property(seeds, seeds, fc.array(fc.boolean(), { maxLength: 20 }), (a, b, turns) => {
        const lists = [diffSurface(null, variant(a, 'a')), diffSurface(null, variant(b, 'b'))]
        const mixed: ServerMessage[] = []
        for (const turn of turns) mixed.push(...(lists[turn ? 1 : 0]?.splice(0, 1) ?? []))
        const store = fill([...mixed, ...lists.flat()])
        expect(essence(store, 'a')).toEqual(essence(fill(diffSurface(null, variant(a, 'a'))), 'a'))
        expect(essence(store, 'b')).toEqual(essence(fill(diffSurface(null, variant(b, 'b'))), 'b'))
      }),
      { numRuns: 40 },
    )
  })

  test('SP-42 SP-44: changed node ids are those that differ between two complete trees', () => {
    const own = (store: SurfaceStore) => {
      const found = new Map<string, string>()
      const visit = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(visit)
        if (typeof value !== 'object' || value === null) return value
        if (!('componentId' in value && 'id' in value && 'properties' in value))
          return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, visit(v)]))
        const { id, scope: _, properties, ...rest } = value as unknown as TreeNode
        found.set(id, '')
        found.set(id, JSON.stringify([rest, visit(properties)]))
        return `#${id}`
      }
      visit(store.tree('s'))
      return found
    }
    fc.assert(
      fc.property(seeds, fc.array(seeds, { minLength: 1, maxLength: 5 }), (first, rest) => {
        const store = fill(diffSurface(null, variant(first, 's')))
        let state: SurfaceState | null = store.get('s')
        for (const seed of rest) {
          const after = variant(seed, 's')
          for (const message of diffSurface(state, after)) {
            const before = own(store)
            const { change } = store.apply(message)
            const now = own(store)
            const expected = [...now]
              .filter(([id, seen]) => before.get(id) !== seen)
              .map(([id]) => id)
            const told = 'beginRendering' in message ? expected : change?.nodeIds
            expect(told).toEqual(expected)
          }
          state = store.get('s')
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('self-contained form', () => {
  test('SP-69: components with what they refer to, data with all of its location', () => {
    const store = fill(
      createSurfaceBuilder('s')
        .data({ m: { a: 1, b: 2 } })
        .root(ui.Column({ children: [ui.Card({ child: text('x') }).id('card')] }))
        .toMessages(),
    )
    const [update] = toSelfContained(
      [surfaceUpdate('s', [{ id: 'new', component: { Card: { child: 'card' } } }])],
      { store },
    )
    expect(update).toMatchObject({
      surfaceUpdate: { components: [{ id: 'new' }, { id: 'card' }, { id: 'card.child' }] },
    })
    expect(toSelfContained([dataModelUpdate('s', { a: 5 }, '/m')], { store })).toEqual([
      dataModelUpdate('s', { a: 5, b: 2 }, '/m'),
    ])
    const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }
    const parts = toSelfContained([dataModelUpdate('s', deep)], { store })
    expect(parts.length).toBeGreaterThan(1)
    expect(fill(parts).getData('s')).toEqual(deep)
    const literals = toSelfContained([
      surfaceUpdate('t', [
        { id: 'a', component: { Text: { text: { path: '/x', literalString: 'y' } } } },
      ]),
    ])
    expect(JSON.stringify(literals)).not.toContain('literalString')
    expect(fill(literals).getData('t')).toEqual({ x: 'y' })
  })

  test('SP-69: values of a deleted surface are not sent again', () => {
    const store = fill([dataModelUpdate('s', { m: { a: 1, b: 2 } })])
    const messages = [deleteSurface('s'), dataModelUpdate('s', { a: 5 }, '/m')]
    expect(toSelfContained(messages, { store })).toEqual(messages)
  })
})

describe('writer', () => {
  test('SP-73: only differences are sent, in order', async () => {
    const sent: AnyServerMessage[] = []
    const writer = createSurfaceWriter({ send: (message) => void sent.push(message) })
    const view = (n: number) => ({
      root: ui.Column({
        children: [
          text(`${n}`),
          ui.List({ children: each('/rows', ui.Text({ text: bind('.') })) }),
        ],
      }),
      data: { rows: { a: 'A' } },
    })
    const both = [writer.render('s', view(1)), writer.render('s', view(2))]
    await Promise.all(both)
    expect(sent.map((message) => Object.keys(message)[0])).toEqual([
      'surfaceUpdate',
      'dataModelUpdate',
      'beginRendering',
      'surfaceUpdate',
    ])
    await writer.render('s', view(2))
    await writer.update('s', '/rows', { b: 'B' })
    expect(sent).toHaveLength(5)
    expect(fill(sent).get('s')).toEqual(writer.store.get('s'))
    await writer.delete('s')
    expect(writer.store.surfaceIds()).toEqual([])
  })

  test('SP-73: a call ends when each of its messages was sent, and the next one begins then', async () => {
    const sent: string[] = []
    const done: (() => void)[] = []
    const writer = createSurfaceWriter({
      send: (message) => {
        sent.push(Object.keys(message).join())
        return new Promise<void>((resolve) => done.push(resolve))
      },
    })
    let rendered = false
    const first = writer.render('s', { root: text('x') }).then(() => (rendered = true))
    const second = writer.delete('s')
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    expect(sent).toEqual(['surfaceUpdate'])
    done.shift()?.()
    await turn()
    expect([sent, rendered]).toEqual([['surfaceUpdate', 'beginRendering'], false])
    done.shift()?.()
    await first
    await turn()
    expect(sent).toEqual(['surfaceUpdate', 'beginRendering', 'deleteSurface'])
    done.shift()?.()
    await second
  })

  test('SP-73: unsent messages are sent again', async () => {
    const sent: AnyServerMessage[] = []
    let failing = true
    const writer = createSurfaceWriter({
      send(message) {
        if (failing) throw new Error('offline')
        sent.push(message)
      },
    })
    await expect(writer.render('s', { root: text('a') })).rejects.toThrow('offline')
    failing = false
    await writer.render('s', { root: text('a') })
    expect(Object.keys(sent[0] ?? {})).toEqual(['deleteSurface'])
    expect(fill(sent).tree('s')?.properties.text).toBe('a')
    await expect(writer.update('s', '/~', {})).rejects.toMatchObject({ code: 'invalid_path' })
  })
})
