import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  formatMessage,
  minimalCatalogV09,
  type JsonObject,
} from '@x/surface-protocol'
import { negotiateCatalogs, negotiateVersion } from '@x/surface-protocol/catalog'
import {
  actionToToolCall,
  fromActivityEvent,
  fromDataPart,
  fromMcpContent,
  readA2aMetadata,
  supportsA2ui,
  toActivityEvent,
  toDataPart,
  toMcpAppResource,
  toMcpResource,
  toMcpResult,
} from '@x/surface-protocol/interop'

const remove = { version: 'v0.9.1', deleteSurface: { surfaceId: 's' } }

describe('negotiation', () => {
  const ids = [minimalCatalogV09.catalogId, basicCatalogV09.catalogId]
  const catalogs = [basicCatalogV09, minimalCatalogV09]
  const told = (more: JsonObject = {}) => ({
    a2uiClientCapabilities: { 'v0.9': { supportedCatalogIds: ids, ...more } },
  })

  test('SN-50 SN-51: the first version of the server that the client has', () => {
    const supported = ['0.9.1', '0.8'] as const
    expect(negotiateVersion({ supported })).toBe('0.9.1')
    expect(negotiateVersion({ supported, capabilities: told() })).toBe('0.9.1')
    expect(negotiateVersion({ supported, capabilities: { 'v0.9.1': {} } })).toBe('0.9.1')
    expect(negotiateVersion({ supported, capabilities: { supportedCatalogIds: [] } })).toBe('0.8')
    for (const capabilities of [{ 'v1.0': {} }, {}, 'x']) {
      expect(() => negotiateVersion({ supported, capabilities })).toThrow(
        expect.objectContaining({ code: 'unsupported_version' }),
      )
    }
  })

  test('SN-52: catalogs in the order of the client, its own ones last', () => {
    const version = '0.9.1'
    const chosen = (capabilities: unknown, acceptsInlineCatalogs = false) =>
      negotiateCatalogs({ version, catalogs, capabilities, acceptsInlineCatalogs }).map(
        ({ catalogId }) => catalogId,
      )
    expect(negotiateCatalogs({ version, catalogs })).toEqual(catalogs)
    expect(chosen(told())).toEqual(ids)
    const inline = {
      inlineCatalogs: [
        { catalogId: 'urn:own', components: {} },
        { catalogId: minimalCatalogV09.catalogId, components: {} },
      ],
    }
    expect(() => chosen(told(inline))).toThrow(
      expect.objectContaining({ code: 'inline_catalog_refused' }),
    )
    expect(chosen(told(inline), true)).toEqual([...ids, 'urn:own'])
    for (const supportedCatalogIds of [[], ['urn:other']]) {
      expect(() => chosen({ 'v0.9': { supportedCatalogIds } })).toThrow(
        expect.objectContaining({ code: 'no_common_catalog' }),
      )
    }
  })
})

describe('bridges', () => {
  test('SN-68: A2A parts and metadata', () => {
    const part = toDataPart(remove, { version: '0.9.1' })
    expect(part).toEqual({
      kind: 'data',
      data: [remove],
      metadata: { mimeType: 'application/a2ui+json' },
    })
    expect(fromDataPart(part)).toEqual([remove])
    const old = { deleteSurface: { surfaceId: 's' } }
    expect(toDataPart(old)).toEqual({
      kind: 'data',
      data: old,
      metadata: { mimeType: 'application/json+a2ui' },
    })
    const metadata = {
      a2uiClientCapabilities: { 'v0.9': {} },
      a2uiClientDataModel: { surfaces: { s: { a: 1 } } },
    }
    expect(readA2aMetadata(metadata)).toEqual({
      capabilities: { 'v0.9': {} },
      dataModel: { s: { a: 1 } },
    })
    expect(readA2aMetadata({ a2uiRendererDataModel: { surfaces: { s: {} } } }).dataModel).toEqual({
      s: {},
    })
    for (const value of [null, 5, {}, { a2uiClientDataModel: 'x' }]) {
      expect(readA2aMetadata(value)).toEqual({ capabilities: null, dataModel: null })
    }
  })

  test('SN-69: AG-UI activities', () => {
    const first = toActivityEvent([remove], { messageId: 'm' })
    expect(first).toEqual({
      type: 'ACTIVITY_SNAPSHOT',
      messageId: 'm',
      activityType: 'a2ui-surface',
      content: { a2ui_operations: [remove] },
      replace: true,
    })
    const next = toActivityEvent([remove], { messageId: 'm', append: true })
    expect(next).toMatchObject({
      type: 'ACTIVITY_DELTA',
      patch: [{ op: 'add', path: '/a2ui_operations/-', value: remove }],
    })
    expect([fromActivityEvent(first), fromActivityEvent(next)]).toEqual([[remove], [remove]])
  })

  test('SN-70 SN-71: MCP resources and results; input of a peer never throws', () => {
    const resource = toMcpResource('a2ui://s', [remove])
    expect(resource).toEqual({
      uri: 'a2ui://s',
      mimeType: 'application/a2ui+json',
      text: JSON.stringify([remove]),
    })
    const { content } = toMcpResult([remove], { uri: 'ui://s', text: 'A surface.' })
    expect([fromMcpContent(content), fromMcpContent(resource)]).toEqual([[remove], [remove]])
    expect(toMcpAppResource('ui://s', '<p>')).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
    })
    expect(() => toMcpResource('https://host.example', [])).toThrow(TypeError)
    const can = (...mimeTypes: string[]) =>
      supportsA2ui({ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } })
    expect([can('application/a2ui+json'), can('text/html;profile=mcp-app'), can()]).toEqual([
      'native',
      'html',
      null,
    ])
    expect(actionToToolCall({ name: 'go', context: { a: 1 } })).toEqual({
      name: 'go',
      arguments: { a: 1 },
    })
    for (const value of [
      null,
      5,
      'x',
      [],
      {},
      [{ type: 'resource', resource: { mimeType: 'application/a2ui+json', text: '{' } }],
    ]) {
      expect([
        fromMcpContent(value),
        fromActivityEvent(value),
        supportsA2ui(value),
        fromDataPart(value),
      ]).toEqual([null, null, null, null])
    }
  })

  test('SN-3: a message is written in the version that was asked for', () => {
    expect(formatMessage(remove as never, { version: '0.9' })).toBe(
      '{"version":"v0.9","deleteSurface":{"surfaceId":"s"}}',
    )
    expect(() => formatMessage(remove as never, { version: '0.8' })).toThrow(
      expect.objectContaining({ code: 'unsupported_version' }),
    )
  })
})
