import { describe, expect, test } from 'vitest'
import { createSurfaceStore } from '@x/surface-protocol'
import { negotiateCatalog, parseCatalog } from '@x/surface-protocol/catalog'
import { renderSurfaceHtml } from '@x/surface-protocol/html'
import { createV08Adapter, createV09Adapter } from '@x/surface-protocol/interop'
import { costOf } from './cost.ts'

const created = (surfaceId: string) => ({
  version: 'v0.9',
  createSurface: { surfaceId, catalogId: 'urn:c' },
})
const data = (surfaceId: string, path: string, value: unknown) => ({
  version: 'v0.9',
  updateDataModel: { surfaceId, path, value },
})
const root = (surfaceId: string) => ({
  version: 'v0.9',
  updateComponents: { surfaceId, components: [{ id: 'root', component: 'Divider' }] },
})
const entry = (surfaceId: string, key: string) => ({
  dataModelUpdate: { surfaceId, path: '/d', contents: [{ key, valueString: key }] },
})

describe('AB-9: conversions', () => {
  test('20,000 updates before the surface begins are converted in linear time in both directions', async () => {
    const later = createV09Adapter()
    const cost = await costOf(() => {
      for (let n = 0; n < 20_000; n += 1) later.push(entry('s', `k${n}`))
      expect(later.push({ beginRendering: { surfaceId: 's', root: 'r' } })).toHaveLength(20_001)
    })
    expect(cost).toBeLessThan(5000)
    const earlier = createV08Adapter()
    earlier.push(created('s'))
    const back = await costOf(() => {
      for (let n = 0; n < 20_000; n += 1) earlier.push(data('s', `/k${n}`, n))
      const [whole] = earlier.push(root('s'))
      expect(whole).toMatchObject({ dataModelUpdate: { surfaceId: 's' } })
    })
    expect(back).toBeLessThan(5000)
  })

  test('JSON of any depth gives a finding and no messages', () => {
    let deep: unknown = 1
    for (let n = 0; n < 50_000; n += 1) deep = n % 2 === 0 ? [deep] : { a: deep }
    const earlier = createV08Adapter()
    expect(earlier.push(data('s', '/a', deep))).toEqual([])
    expect(earlier.diagnostics).toMatchObject([{ code: 'limit_exceeded', limit: 'jsonDepth' }])
    const later = createV09Adapter()
    const styles = { font: deep } as never
    expect(later.push({ beginRendering: { surfaceId: 's', root: 'r', styles } })).toEqual([])
    expect(later.diagnostics).toMatchObject([{ code: 'limit_exceeded', limit: 'jsonDepth' }])
  })

  test('surfaces, waiting messages and findings are bounded', () => {
    const later = createV09Adapter()
    for (let n = 0; n < 1001; n += 1) later.push(entry(`s${n}`, 'k'))
    expect(later.diagnostics).toMatchObject([{ limit: 'surfaces', surfaceId: 's1000' }])
    later.push({ deleteSurface: { surfaceId: 's0' } })
    later.push(entry('s1000', 'k'))
    expect(later.diagnostics).toHaveLength(1)
    const big = 'x'.repeat(8_000_000)
    for (let n = 0; n < 9; n += 1) {
      const contents = [{ key: 'k', valueString: big }]
      later.push({ dataModelUpdate: { surfaceId: 's1', contents } })
    }
    expect(later.diagnostics.at(-1)).toMatchObject({ limit: 'bufferedSize' })
    const earlier = createV08Adapter()
    const text = { component: 'Text', text: { call: 'formatString', args: { value: 'x' } } }
    for (let n = 0; n < 3000; n += 1) {
      const components = [{ id: `c${n}`, ...text }]
      earlier.push({ version: 'v0.9', updateComponents: { surfaceId: 's', components } })
    }
    expect(earlier.diagnostics).toHaveLength(1000)
    expect(earlier.diagnostics.dropped).toBe(2000)
  })
})

test('AB-8: a pattern of a client runs in linear time, or its catalog is refused', async () => {
  const server = parseCatalog({ catalogId: 'urn:server', components: {} })
  const accept = (pattern: string) =>
    negotiateCatalog({
      catalogs: [server],
      acceptsInlineCatalogs: true,
      client: {
        inlineCatalogs: [
          { components: { Code: { properties: { value: { type: 'string', pattern } } } } },
        ],
      },
    })
  expect(() => accept('(?=a)a')).toThrow(
    expect.objectContaining({
      code: 'invalid_catalog',
      path: '/components/Code/properties/value/pattern',
    }),
  )
  const catalog = accept('^(a+)+$')
  const store = createSurfaceStore({ catalogs: [catalog] })
  const send = (value: string) =>
    store.apply({
      surfaceUpdate: { surfaceId: 's', components: [{ id: 'c', component: { Code: { value } } }] },
    }).applied
  expect(await costOf(() => expect(send(`${'a'.repeat(9000)}!`)).toBe(false))).toBeLessThan(5000)
  expect(send('a'.repeat(9000))).toBe(true)
  expect(send('a'.repeat(10_001))).toBe(false)
})

test('AB-10: data that looks like a node is shown as data', () => {
  const catalog = parseCatalog({ catalogId: 'urn:c', components: { Box: {} } })
  const store = createSurfaceStore({ catalogs: [catalog] })
  const fake = { componentId: 'x', properties: { label: 'evil' }, scope: '', id: 'x' }
  const components = [
    { id: 'box', component: { Box: { one: { path: '/a' }, two: { path: '/b' } } } },
  ]
  store.apply({ surfaceUpdate: { surfaceId: 's', components } })
  store.setData('s', '/a', { ...fake, type: 'Button' })
  store.setData('s', '/b', { ...fake, type: 5 })
  store.apply({ beginRendering: { surfaceId: 's', root: 'box', catalogId: 'urn:c' } })
  const html = renderSurfaceHtml(store, 's')
  expect(html).toBe('<div class="sf-box" data-id="box" data-type="Box"></div>')
})
