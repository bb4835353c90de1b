import { describe, expect, test } from 'vitest'
import {
  bind,
  createJsonLinesParser,
  createSurfaceBuilder,
  createSurfaceStore,
  diffSurface,
  each,
  STANDARD_CATALOG_ID,
  ui,
  type SurfaceState,
} from '@x/surface-protocol'

const text = (path: string, more: object = {}) => ({ Text: { text: { path }, ...more } })
const update = (surfaceId: string, ...components: object[]) => ({
  surfaceUpdate: { surfaceId, components },
})
const entries = (...contents: object[]) => contents
const begin = (surfaceId: string, root: string) => ({ beginRendering: { surfaceId, root } })

/** The data of section 21, example 7. */
const teams = {
  dataModelUpdate: {
    surfaceId: 's',
    contents: [
      {
        key: 'teams',
        valueMap: [
          {
            key: 'red',
            valueMap: [
              { key: 'title', valueString: 'Red' },
              {
                key: 'players',
                valueMap: [
                  { key: 'p9', valueMap: [{ key: 'nick', valueString: 'Zoe' }] },
                  { key: 'p3', valueMap: [{ key: 'nick', valueString: 'Al' }] },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
}

const teamBoard = (who: object) =>
  update(
    's',
    {
      id: 'board',
      component: {
        Column: { children: { template: { componentId: 'team', dataBinding: '/teams' } } },
      },
    },
    {
      id: 'team',
      component: {
        Row: { children: { template: { componentId: 'who', dataBinding: 'players' } } },
      },
    },
    { id: 'who', component: who },
  )

describe('worked examples', () => {
  test('SP-21 SP-22 SP-26 SP-39 SP-42: build, render, fill in', () => {
    const store = createSurfaceStore()
    const events: string[] = []
    store.on('surface.rendered', () => events.push('rendered'))
    const first = store.apply(
      update(
        'inbox',
        { id: 'page', component: { Column: { children: { explicitList: ['head', 'more'] } } } },
        { id: 'head', component: text('/unread/label', { usageHint: 'h3' }) },
      ),
    )
    expect(first).toMatchObject({ applied: true, change: { status: 'created', revision: 1 } })
    expect(store.tree('inbox')).toBeNull()

    store.apply({
      dataModelUpdate: {
        surfaceId: 'inbox',
        path: 'unread',
        contents: [
          { key: 'label', valueString: '4 new' },
          { key: 'count', valueNumber: 4 },
        ],
      },
    })
    expect(store.getData('inbox')).toEqual({ unread: { label: '4 new', count: 4 } })

    const begun = store.apply(begin('inbox', 'page'))
    expect(begun.diagnostics).toMatchObject([
      { code: 'missing_child', severity: 'warning', componentId: 'page', related: ['more'] },
    ])
    expect(store.tree('inbox')).toEqual({
      id: 'page',
      componentId: 'page',
      type: 'Column',
      scope: '',
      properties: {
        children: [
          {
            id: 'head',
            componentId: 'head',
            type: 'Text',
            scope: '',
            properties: { text: '4 new', usageHint: 'h3' },
          },
          {
            id: 'more',
            componentId: 'more',
            type: null,
            pending: true,
            scope: '',
            properties: {},
          },
        ],
      },
    })
    expect(store.get('inbox')).toMatchObject({ missing: ['more'], catalogId: STANDARD_CATALOG_ID })

    const filled = store.apply(
      update('inbox', { id: 'more', component: { Divider: { axis: 'horizontal' } } }),
    )
    expect(filled.change?.nodeIds).toEqual(['more'])
    expect(store.get('inbox')?.missing).toEqual([])
    expect(events).toEqual(['rendered'])
  })

  test('SP-29: listed keys are replaced, the others stay; without a path all is replaced', () => {
    const store = createSurfaceStore()
    const nested = [
      { key: 'from', valueString: 'Ida' },
      { key: 'at', valueString: '9:00' },
    ]
    store.apply({
      dataModelUpdate: {
        surfaceId: 's',
        contents: [
          {
            key: 'unread',
            valueMap: [
              { key: 'label', valueString: '4 new' },
              { key: 'count', valueNumber: 4 },
              { key: 'last', valueMap: nested },
            ],
          },
        ],
      },
    })
    const contents = [{ key: 'last', valueMap: [{ key: 'from', valueString: 'Per' }] }]
    store.apply({ dataModelUpdate: { surfaceId: 's', path: '/unread', contents } })
    expect(store.getData('s')).toEqual({
      unread: { label: '4 new', count: 4, last: { from: 'Per' } },
    })
    store.apply({ dataModelUpdate: { surfaceId: 's', path: '/', contents } })
    expect(store.getData('s')).toEqual({ last: { from: 'Per' } })
  })

  test('SP-14 SP-20: a refused message changes nothing', () => {
    const store = createSurfaceStore()
    store.apply(update('s', { id: 'a', component: { Divider: {} } }))
    const result = store.apply(
      update(
        's',
        { id: 'ok', component: { Text: { text: { literalString: 'x' } } } },
        { id: 'x', component: { Txt: {} } },
      ),
    )
    expect(result).toMatchObject({
      applied: false,
      diagnostics: [
        {
          code: 'invalid_component_type',
          path: '/surfaceUpdate/components/1/component/Txt',
          componentId: 'x',
          hint: 'Text',
        },
      ],
    })
    expect(store.get('s')).toMatchObject({ revision: 1, components: [{ id: 'a' }] })
  })

  test('SP-25: a loop over two messages is refused, a later correct message is not', () => {
    const store = createSurfaceStore()
    store.apply(update('s', { id: 'wrap', component: { Card: { child: 'inner' } } }))
    const closing = store.apply(
      update('s', {
        id: 'inner',
        component: { Modal: { entryPointChild: 'open', contentChild: 'wrap' } },
      }),
    )
    expect(closing.diagnostics).toMatchObject([
      {
        code: 'circular_reference',
        path: '/surfaceUpdate/components/0/component/Modal/contentChild',
        componentId: 'inner',
        related: ['inner', 'wrap'],
      },
    ])
    const later = store.apply(
      update('s', { id: 'inner', component: { Text: { text: { literalString: 'x' } } } }),
    )
    expect(later.applied).toBe(true)
  })

  test('SP-35 SP-40 SP-44: templates have scopes, ids and small changes', () => {
    const store = createSurfaceStore()
    store.applyAll([teams, teamBoard(text('nick')), begin('s', 'board')])
    expect(store.tree('s')).toMatchObject({
      id: 'board',
      properties: {
        children: [
          {
            id: 'team:red',
            properties: {
              children: [
                {
                  id: 'who:red:p9',
                  scope: '/teams/red/players/p9',
                  properties: { text: 'Zoe' },
                },
                { id: 'who:red:p3', properties: { text: 'Al' } },
              ],
            },
          },
        ],
      },
    })
    const renamed = store.apply({
      dataModelUpdate: {
        surfaceId: 's',
        path: '/teams/red/players/p3',
        contents: [{ key: 'nick', valueString: 'Bo' }],
      },
    })
    expect(renamed.change?.nodeIds).toEqual(['who:red:p3'])
  })

  test('SP-36: a leading slash inside a template', () => {
    const shown = (pathMode: 'compatible' | 'pointer') => {
      const store = createSurfaceStore({ pathMode })
      store.applyAll([teams, teamBoard(text('/nick')), begin('s', 'board')])
      return JSON.stringify(store.tree('s')).match(/"text":("\w+"|null)/g)
    }
    expect(shown('compatible')).toEqual(['"text":"Zoe"', '"text":"Al"'])
    expect(shown('pointer')).toEqual(['"text":null', '"text":null'])
    const store = createSurfaceStore()
    store.applyAll([teams, teamBoard(text('/nick')), begin('s', 'board')])
    expect(store.get('s')?.diagnostics).toMatchObject([
      { code: 'compatible_path', componentId: 'who' },
      { code: 'compatible_path', componentId: 'who' },
    ])
  })

  test('SP-37: a literal beside a path is written once for each received component', () => {
    const store = createSurfaceStore()
    const lang = (value: string) => ({
      dataModelUpdate: {
        surfaceId: 's',
        path: '',
        contents: entries({ key: 'lang', valueString: value }),
      },
    })
    store.apply(lang('fr'))
    store.apply(
      update('s', {
        id: 't',
        component: { Text: { text: { path: 'lang', literalString: 'en' } } },
      }),
    )
    store.apply(begin('s', 't'))
    expect(store.getData('s')).toEqual({ lang: 'en' })
    store.apply(lang('de'))
    store.apply(update('s', { id: 'other', component: { Divider: {} } }))
    expect(store.tree('s')?.properties.text).toBe('de')
  })

  test('SP-47 SP-48: lines, marks and errors with their offsets', () => {
    const parser = createJsonLinesParser()
    const bytes = new TextEncoder().encode(
      '\ufeff{"deleteSurface":{"surfaceId":"a"}}\r\n\n{oops\n{"deleteSurface":{"surfaceId":"b"}}',
    )
    const lines = [...parser.push(bytes), ...parser.end()]
    expect(lines).toMatchObject([
      { line: 1, offset: 0, value: { deleteSurface: { surfaceId: 'a' } } },
      { line: 3, offset: 41, error: { code: 'malformed_json' } },
      { line: 4, value: { deleteSurface: { surfaceId: 'b' } } },
    ])
  })

  test('SP-65 SP-66 SP-67: the builder', () => {
    const messages = createSurfaceBuilder('vote')
      .data({ yes: 2, voters: { v1: { name: 'Ida' } } })
      .root(
        ui.Column({
          alignment: 'start',
          children: [
            ui.Text({ text: bind('/yes'), usageHint: 'h4' }),
            ui.List({ children: each('/voters', ui.Text({ text: bind('name') })) }),
            ui.Icon({ name: 'star' }).id('mark'),
            ui.Tabs({ tabItems: [{ title: 'Why', child: ui.Divider({}) }] }),
          ],
        }),
      )
      .toMessages()
    expect(messages).toMatchObject([
      {
        surfaceUpdate: {
          components: [
            { id: 'root' },
            { id: 'root.0' },
            {
              id: 'root.1',
              component: {
                List: {
                  children: {
                    template: { componentId: 'root.1.template', dataBinding: '/voters' },
                  },
                },
              },
            },
            { id: 'root.1.template' },
            { id: 'mark' },
            { id: 'root.3' },
            { id: 'root.3.tabItems.0' },
          ],
        },
      },
      {
        dataModelUpdate: {
          surfaceId: 'vote',
          contents: [
            { key: 'yes', valueNumber: 2 },
            {
              key: 'voters',
              valueMap: [{ key: 'v1', valueMap: [{ key: 'name', valueString: 'Ida' }] }],
            },
          ],
        },
      },
      { beginRendering: { surfaceId: 'vote', root: 'root' } },
    ])
    expect(
      createSurfaceStore()
        .applyAll(messages)
        .every(({ applied }) => applied),
    ).toBe(true)
  })

  test('SP-71: the smallest difference of data', () => {
    const state = (cart: object): SurfaceState => ({
      surfaceId: 's',
      status: 'created',
      root: null,
      catalogId: null,
      styles: {},
      components: [],
      data: { cart } as SurfaceState['data'],
    })
    const before = state({ n: 1, items: { k1: { q: 1 }, k2: { q: 5 } } })
    expect(diffSurface(before, state({ n: 1, items: { k1: { q: 2 }, k2: { q: 5 } } }))).toEqual([
      {
        dataModelUpdate: {
          surfaceId: 's',
          path: '/cart/items/k1',
          contents: [{ key: 'q', valueNumber: 2 }],
        },
      },
    ])
    expect(diffSurface(before, state({ n: 1, items: { k2: { q: 5 } } }))).toEqual([
      {
        dataModelUpdate: {
          surfaceId: 's',
          path: '/cart',
          contents: [
            { key: 'items', valueMap: [{ key: 'k2', valueMap: [{ key: 'q', valueNumber: 5 }] }] },
          ],
        },
      },
    ])
  })
})
