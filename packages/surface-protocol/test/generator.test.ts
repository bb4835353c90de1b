import { expect, test } from 'vitest'
import { basicCatalogIds, basicCatalogV09, standardCatalogV08 } from '@x/surface-protocol'
import {
  createGenerator,
  createRequestProcessor,
  directJson,
  express,
} from '@x/surface-protocol/llm'

test('SX-33: a generator finds the version and catalogs of a client', () => {
  const generator = createGenerator({
    versions: ['0.9.1', '0.8'],
    catalogs: [basicCatalogV09, standardCatalogV08],
  })
  const first = generator.createProcessor()
  expect([first.version, first.activeCatalogs]).toEqual(['0.9.1', [basicCatalogV09]])
  expect(first.promptSnippet).toContain('<a2ui-json>')
  const named = generator.createProcessor({
    a2uiClientCapabilities: { 'v0.9': { supportedCatalogIds: [basicCatalogIds[1]] } },
  })
  expect(named.activeCatalogs).toEqual([basicCatalogV09])
  const older = generator.createProcessor({ supportedCatalogIds: [standardCatalogV08.catalogId] })
  expect([older.version, older.activeCatalogs]).toEqual(['0.8', [standardCatalogV08]])
  expect(() =>
    generator.createProcessor({
      a2uiClientCapabilities: { 'v0.9': { supportedCatalogIds: ['x'] } },
    }),
  ).toThrow(expect.objectContaining({ code: 'no_common_catalog' }))
})

test('SX-33: a generator passes its format on, and JSON is the default', () => {
  const generator = createGenerator({ catalogs: [basicCatalogV09], format: express() })
  const processor = generator.createProcessor()
  expect(processor.tag).toBe('a2ui')
  expect(processor.parseResponse('<a2ui>root = Text("a")</a2ui>').map(({ kind }) => kind)).toEqual([
    'message',
    'message',
  ])
  const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
  const plain = createRequestProcessor(options)
  const named = createRequestProcessor({ ...options, format: directJson() })
  expect(named.promptSnippet).toBe(plain.promptSnippet)
})

test('SX-43: direct JSON compiles, decompiles, wraps and unwraps', () => {
  const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
  const format = directJson()
  const messages = express().compile('root = Text("a")', options)
  const raw = format.decompile(messages, options)
  expect(format.compile(raw, options)).toEqual(messages)
  expect(format.unwrap(format.wrap([{ kind: 'block', raw }]))).toEqual([{ kind: 'block', raw }])
  expect(() => createRequestProcessor({ ...options, version: '0.8', format: express() })).toThrow(
    TypeError,
  )
})
