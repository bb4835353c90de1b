import { describe, expect, test } from 'vitest'
import {
  basicCatalogIds,
  basicCatalogV09,
  createSurfaceStore,
  validateMessage,
  validateMessages,
} from '@x/surface-protocol'
import { negotiateCatalog, negotiateCatalogs } from '@x/surface-protocol/catalog'
import { extractMessages } from '@x/surface-protocol/llm'

const catalogs = [basicCatalogV09]

describe.each(basicCatalogIds)('SX-2: the basic catalog as %s', (catalogId) => {
  const create = { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId } }

  test('is known to store, validation and extractor, and keeps its name', () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    expect(store.apply(create).diagnostics).toEqual([])
    expect(store.get('s')).toMatchObject({ catalogId })
    expect(store.snapshot()[0]).toMatchObject({ createSurface: { catalogId } })
    expect(validateMessage(create, { version: '0.9.1', catalogs }).diagnostics).toEqual([])
    expect(validateMessages([create], { version: '0.9.1', catalogs })).toEqual([])
    const text = `<a2ui-json>${JSON.stringify(create)}</a2ui-json>`
    expect(extractMessages(text, { version: '0.9.1', catalogs })).toMatchObject([
      { message: create },
    ])
  })

  test('is the one that a client has', () => {
    const client = { supportedCatalogIds: [catalogId] }
    expect(negotiateCatalog({ catalogs, client })).toBe(basicCatalogV09)
    const capabilities = { 'v0.9': client }
    expect(negotiateCatalogs({ version: '0.9.1', catalogs, capabilities })).toEqual(catalogs)
  })
})

test('SX-2: the first id is the canonical one', () => {
  expect(basicCatalogIds[0]).toBe(basicCatalogV09.catalogId)
})
