import { describe, expect, test } from 'vitest'
import {
  basicCatalogIds,
  basicCatalogV09,
  createSurfaceStore,
  validateMessage,
  validateMessages,
} from '@x/surface-protocol'
import { negotiateCatalog, negotiateCatalogs } from '@x/surface-protocol/catalog'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'
import { createVersionAdapter } from '@x/surface-protocol/interop'
import { createMessageExtractor, extractMessages, parseBlock } from '@x/surface-protocol/llm'

const catalogs = [basicCatalogV09]

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

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

describe('SX-3: aliases and unknown options', () => {
  const catalogAliases = { mine: basicCatalogV09.catalogId }
  const create = { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId: 'mine' } }
  const root = {
    version: 'v0.9.1',
    updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Divider' }] },
  }

  test('an alias is known to extractor, block, conversion and channel', async () => {
    const options = { version: '0.9.1', catalogs, catalogAliases } as const
    const text = JSON.stringify(create)
    expect(extractMessages(text, options)).toMatchObject([{ kind: 'message' }])
    expect(parseBlock(text, options).messages).toEqual([create])
    const adapter = createVersionAdapter({ from: '0.9.1', to: '0.8', catalogAliases })
    const begin = { beginRendering: { surfaceId: 's', root: 'root' } }
    expect([create, root].flatMap((one) => adapter.push(one))[1]).toEqual(begin)
    const channel = createSurfaceChannel({ version: '0.9.1', versions: ['0.8'], catalogAliases })
    await channel.send(create as never)
    await channel.send(root as never)
    channel.close()
    const got = await all(channel.subscribe({ version: '0.8' }))
    expect(got[1]?.message).toEqual(begin)
  })

  test.each([
    ['createMessageExtractor', (o: object) => createMessageExtractor(o)],
    ['parseBlock', (o: object) => parseBlock('', o)],
    ['createVersionAdapter', (o: object) => createVersionAdapter({ from: '0.8', to: '0.9', ...o })],
    ['createSurfaceChannel', (o: object) => createSurfaceChannel(o)],
    ['createSurfaceStore', (o: object) => createSurfaceStore(o)],
  ])('%s names an option that it does not have', (name, make) => {
    expect(() => make({ catalogAlias: {} })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'invalid_option',
        option: 'catalogAlias',
        message: `${name}: unknown option "catalogAlias". Did you mean "catalogAliases"?`,
      }),
    )
    expect(() => make({ somethingElse: 1 })).toThrow(/Known options: /)
    expect(() => make({ catalogAlias: undefined })).not.toThrow(/unknown option/)
  })
})

describe('SX-5: a viewer knows the catalog under another id', () => {
  const [canonical = '', second = '', third = ''] = basicCatalogIds
  const create = (catalogId: string, surfaceId = 's') =>
    ({ version: 'v0.9.1', createSurface: { surfaceId, catalogId } }) as const
  const losses: unknown[] = []
  const channelOf = async () => {
    losses.length = 0
    const channel = createSurfaceChannel({
      version: '0.9.1',
      history: 1,
      onLoss: (loss) => losses.push(loss),
    })
    await channel.send(create(canonical))
    return channel
  }

  test('in code: the first id of its list that stands for the catalog', async () => {
    const channel = await channelOf()
    await channel.send(create('own', 't'))
    channel.close()
    const read = (list: string[]) => all(channel.subscribe({ catalogs: list }))
    const ids = (items: { message: object }[]) =>
      items.flatMap(({ message }) =>
        'createSurface' in message
          ? [(message.createSurface as { catalogId: string }).catalogId]
          : [],
      )
    expect(ids(await read(['x', third, second, 'own']))).toEqual([third, 'own'])
    expect(losses).toEqual([])
    expect(ids(await read([second]))).toEqual([second, 'own'])
    expect(ids(await read([second]))).toEqual([second, 'own'])
    expect(losses).toMatchObject([
      { code: 'lossy_conversion', surfaceId: 't', related: ['catalogId'] },
    ])
    const many = Array.from({ length: 65 }, (_, n) => `id${n}`)
    for (const wrong of [many, ['x'.repeat(2049)]]) {
      await expect(read(wrong)).rejects.toMatchObject({ code: 'limit_exceeded', status: 400 })
    }
  })

  test('over HTTP: a header or a query parameter, and the answer varies', async () => {
    const channel = await channelOf()
    channel.close()
    const handler = createSurfaceHandler({ open: () => channel })
    const get = async (url: string, headers: Record<string, string> = {}) => {
      const response = await handler(new Request(`http://x.example/${url}`, { headers }))
      return { response, text: await response.text() }
    }
    const first = await get('', { 'a2ui-catalogs': `x, ${second}` })
    expect(first.text).toContain(second)
    expect(first.response.headers.get('vary')).toContain('A2UI-Catalogs')
    const encoded = ['urn:a,b', third].map(encodeURIComponent).join(',')
    expect((await get(`?a2uiCatalogs=${encoded}`)).text).toContain(third)
    for (const list of [`x,${third}`, encoded]) {
      const query = new URLSearchParams({ a2uiCatalogs: list })
      expect((await get(`?${query.toString()}`)).text).toContain(third)
    }
    expect((await get('?a2uiCatalogs=%zz,x')).response.status).toBe(400)
    const many = Array.from({ length: 65 }, (_, n) => `id${n}`).join(',')
    expect((await get('', { 'a2ui-catalogs': many })).response.status).toBe(400)
  })
})
