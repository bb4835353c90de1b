import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  standardCatalogV08,
  validateMessage,
  validateMessages,
  type SurfaceDiagnostic,
} from '@x/surface-protocol'

const listed = (found: SurfaceDiagnostic[]) => found.map(({ code, path }) => `${code} ${path}`)

describe('order of problems', () => {
  test('SP-9: at most 100 problems, then one that says so', () => {
    const contents = Array.from({ length: 150 }, () => ({ key: 1, valueString: 'x' }))
    const { diagnostics } = validateMessage({ dataModelUpdate: { surfaceId: 's', contents } })
    expect(diagnostics).toHaveLength(101)
    expect(diagnostics.at(-1)).toMatchObject({ code: 'limit_exceeded', limit: 'diagnostics' })
    expect(diagnostics[99]?.path).toBe('/dataModelUpdate/contents/99/key')
    const more = Object.fromEntries(contents.map((_, index) => [`more${index}`, 1]))
    const tolerant = validateMessage(
      { deleteSurface: { surfaceId: 's' }, ...more },
      { mode: 'tolerant' },
    )
    expect(tolerant.message).toEqual({ deleteSurface: { surfaceId: 's' } })
    expect(tolerant.diagnostics).toHaveLength(101)
    expect(tolerant.diagnostics.at(-1)).toMatchObject({ limit: 'diagnostics', severity: 'warning' })
  })

  test('SP-9: every check reports problems in the order of the message', () => {
    const message = {
      'x/~y': 1,
      surfaceUpdate: {
        more: 1,
        components: [
          { component: { Card: { child: 'b' } }, weight: 'x', id: 'a' },
          { extra: 1, component: { Card: { child: 'a' } }, id: 'b' },
          { id: 'c', component: { Row: { children: { explicitList: ['d', 'd'] }, bad: 1 } } },
          { component: { Txt: {} } },
        ],
        last: 1,
      },
    }
    const expected = [
      'unknown_key /x~1~0y',
      'unknown_key /surfaceUpdate/more',
      'invalid_type /surfaceUpdate/components/0/weight',
      'unknown_key /surfaceUpdate/components/1/extra',
      'circular_reference /surfaceUpdate/components/1/component/Card/child',
      'duplicate_child /surfaceUpdate/components/2/component/Row/children/explicitList/1',
      'invalid_property /surfaceUpdate/components/2/component/Row/bad',
      'invalid_component_type /surfaceUpdate/components/3/component/Txt',
      'missing_field /surfaceUpdate/components/3/id',
      'unknown_key /surfaceUpdate/last',
      'missing_field /surfaceUpdate/surfaceId',
    ]
    const options = { catalog: standardCatalogV08 }
    expect(listed(validateMessage(message, options).diagnostics)).toEqual(expected)
    expect(listed(validateMessages([message]))).toEqual(expected)
    expect(listed(createSurfaceStore().apply(message).diagnostics)).toEqual(expected)
    const begin = { beginRendering: { styles: { font: 1, more: 2 }, catalogId: '', root: 3 } }
    const begun = [
      'invalid_style /beginRendering/styles/font',
      'invalid_style /beginRendering/styles/more',
      'invalid_value /beginRendering/catalogId',
      'invalid_type /beginRendering/root',
      'missing_field /beginRendering/surfaceId',
    ]
    expect(listed(validateMessage(begin, options).diagnostics)).toEqual(begun)
    expect(listed(createSurfaceStore().apply(begin).diagnostics)).toEqual(begun)
    const entry = { key: 1, valueString: 1, valueMap: [{ valueNumber: '' }] }
    const data = { dataModelUpdate: { contents: [entry, {}], path: 1, surfaceId: 's' } }
    const { diagnostics } = validateMessage(data)
    expect(listed(diagnostics)).toEqual([
      'not_exactly_one /dataModelUpdate/contents/0',
      'invalid_type /dataModelUpdate/contents/0/key',
      'invalid_type /dataModelUpdate/contents/0/valueString',
      'invalid_type /dataModelUpdate/contents/0/valueMap/0/valueNumber',
      'missing_field /dataModelUpdate/contents/0/valueMap/0/key',
      'not_exactly_one /dataModelUpdate/contents/1',
      'missing_field /dataModelUpdate/contents/1/key',
      'invalid_type /dataModelUpdate/path',
    ])
    expect(listed(createSurfaceStore().apply(data).diagnostics)).toEqual(listed(diagnostics))
  })

  test('SP-9: of many problems the first of the message are listed', () => {
    const contents = Array.from({ length: 99 }, () => ({ key: 1, valueString: 'x' }))
    const more = Object.fromEntries(contents.map((_, index) => [`more${index}`, 1]))
    const message = { dataModelUpdate: { contents, ...more, surfaceId: 's' } }
    for (const found of [
      validateMessage(message).diagnostics,
      validateMessages([message]),
      createSurfaceStore().apply(message).diagnostics,
    ]) {
      expect(found).toHaveLength(101)
      expect(found[98]?.path).toBe('/dataModelUpdate/contents/98/key')
      expect(found[99]?.path).toBe('/dataModelUpdate/more0')
    }
  })

  test('SP-9: an id that cannot be read counts as no surface', () => {
    const store = createSurfaceStore({ limits: { surfaces: 1 } })
    store.apply({ dataModelUpdate: { surfaceId: 's', contents: [] } })
    const message = { surfaceUpdate: { surfaceId: 1, components: [] } }
    expect(listed(store.apply(message).diagnostics)).toEqual([
      'invalid_type /surfaceUpdate/surfaceId',
      'invalid_value /surfaceUpdate/components',
    ])
  })
})
