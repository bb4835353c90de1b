import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  createSurfaceStore,
  createUserAction,
  minimalCatalogV09,
  validateMessages,
  type Catalog,
  type JsonObject,
  type JsonValue,
  type SurfaceStoreV09,
  type TreeNode,
} from '@x/surface-protocol'
import { parseCatalog } from '@x/surface-protocol/catalog'
import { compileCatalog } from '../src/catalog/v09/compile-catalog.ts'
import { basicTable } from '../src/catalog/v09/basic-table.ts'
import { minimalTable } from '../src/catalog/v09/minimal-table.ts'

const folder = new URL('../../../../shared/reference/a2ui/', import.meta.url)
const isThere = existsSync(folder)
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
type Case = { name: string; [key: string]: unknown }
const casesOf = (file: string): Case[] => (isThere ? read(`conformance/${file}`).cases : [])

const version = '0.9.1'
const open = (catalogId: string): Catalog => {
  const types = ['Button', 'Text', 'Label', 'Card', 'Column']
  const components = Object.fromEntries(types.map((type) => [type, { type: 'object' }]))
  return parseCatalog({ catalogId, components }, { version })
}

describe.runIf(isThere)('public cases of 0.9.1', () => {
  test('SN-49: the tables are those of the published catalogs', () => {
    expect(compileCatalog(read('v0_9_1/catalogs/basic.json'))).toEqual(basicTable)
    expect(compileCatalog(read('v0_9_1/catalogs/minimal.json'))).toEqual(minimalTable)
    expect([basicCatalogV09.types.length, basicCatalogV09.functionNames?.length]).toEqual([18, 14])
    expect(minimalCatalogV09.types).toEqual(['Text', 'Row', 'Column', 'Button', 'TextField'])
  })

  type Step = { op: string; path: string; [key: string]: unknown }
  test.each(casesOf('data_model.json'))('SN-21 to SN-26: $name', (one) => {
    const store = createSurfaceStore({ version })
    store.apply({
      version: 'v0.9',
      createSurface: { surfaceId: 's', catalogId: basicTable.catalogId },
    })
    const send = (path: string, value?: unknown) =>
      store.apply({
        version: 'v0.9',
        updateDataModel: { surfaceId: 's', path, ...(value === undefined ? {} : { value }) },
      })
    send('/', one.initial)
    let notified: string[] = []
    const ends = (one.watch as string[]).map((path) =>
      store.watchData('s', path, () => notified.push(path)),
    )
    for (const step of one.steps as Step[]) {
      notified = []
      const path = step.path
      if (step.op === 'dispose') for (const end of ends) end()
      const result =
        step.op === 'set' ? send(path, step.value) : step.op === 'delete' ? send(path) : null
      expect(result?.applied ?? true).toBe(step.expect_error === undefined)
      const value = path === undefined ? undefined : store.getData('s', path)
      const wanted = {
        value: 'expect' in step ? step.expect : value,
        absent: step.expect_absent === true ? undefined : value,
        notified: step.expect_notified ?? notified,
        isList: step.expect_type === undefined ? Array.isArray(value) : step.expect_type === 'list',
      }
      expect({ value, absent: value, notified, isList: Array.isArray(value) }).toEqual(wanted)
      for (const [place, expected] of Object.entries(step.expect_values ?? {})) {
        expect(store.getData('s', place)).toEqual(expected)
      }
    }
  })

  type Nodes = Record<string, { id?: string; type?: string; scope?: string; props?: JsonObject }>
  const nodeAt = (store: SurfaceStoreV09, path: string): TreeNode | undefined => {
    let value: unknown = store.tree('s')
    for (const part of path.split('/').slice(1)) {
      const node = value as TreeNode
      value =
        'properties' in node ? node.properties[part] : (value as Record<string, unknown>)[part]
    }
    return value as TreeNode | undefined
  }
  test.each(casesOf('node_resolution.json'))('SN-28 SN-29: $name', (one) => {
    const store = createSurfaceStore({ version })
    const say = (message: object) => store.apply({ version: 'v0.9.1', ...message })
    say({ createSurface: { surfaceId: 's', catalogId: basicTable.catalogId } })
    say({ updateDataModel: { surfaceId: 's', value: one.data } })
    const define = (list: unknown) =>
      say({ updateComponents: { surfaceId: 's', components: list } }).applied
    const { components } = one as unknown as { components: object[] }
    expect(components.length === 0 || define(components)).toBe(true)
    const look = (nodes: Nodes = {}) => {
      for (const [path, { id, type, scope, props = {} }] of Object.entries(nodes)) {
        const node = nodeAt(store, path)
        expect({ path, id: node?.componentId, type: node?.type, scope: node?.scope }).toEqual({
          path,
          id: id ?? node?.componentId,
          type: type ?? node?.type,
          scope: scope ?? node?.scope,
        })
        expect(node?.properties).toMatchObject(props)
      }
    }
    look((one.expect as { nodes?: Nodes } | undefined)?.nodes)
    for (const step of (one.steps ?? []) as Step[]) {
      if (step.op === 'update_components') define(step.components)
      if (step.op === 'set_data') store.setData('s', step.path, step.value as JsonValue)
      const wanted = step.expect as { nodes?: Nodes; action?: JsonObject } | undefined
      look(wanted?.nodes)
      if (wanted?.action === undefined) continue
      const nodeId = nodeAt(store, step.node as string)?.id ?? ''
      expect(createUserAction(store, { surfaceId: 's', nodeId })).toMatchObject({
        action: wanted.action,
      })
    }
  })

  const processed = casesOf('message_processor_v0_9.json').filter(
    ({ action }) => action === 'process_messages',
  )
  test.each(processed)('SN-9 to SN-17: $name', (one) => {
    const given = (one.catalogs ?? []) as JsonObject[]
    const catalogs =
      given.length > 0
        ? given.map((document) => parseCatalog({ components: {}, ...document }, { version }))
        : ['test-catalog', 'v09-cat', 'cat-1'].map(open)
    const messages = one.messages as unknown[] | { messages: unknown[] }
    const list = Array.isArray(messages) ? messages : messages.messages
    const mode = given.length > 0 ? 'strict' : 'tolerant'
    const store = createSurfaceStore({ version, catalogs, mode })
    const refused = store.applyAll(messages).filter(({ applied }) => !applied).length
    const found = validateMessages(list, {
      version,
      catalogs,
      mode,
      complete: one.strictMode === true,
    })
    const errors = found.filter(({ severity }) => severity === 'error').length
    expect(Math.max(errors, refused) > 0).toBe(
      one.expectError !== undefined || /rejects/.test(one.name),
    )
    const surfaces = (one.expect as { surfaces?: Record<string, JsonObject> } | undefined)?.surfaces
    for (const [surfaceId, wanted] of Object.entries(surfaces ?? {})) {
      const { exists = true, dataModel, ...rest } = wanted
      const view = store.get(surfaceId)
      expect(view !== null).toBe(exists)
      expect(view ?? rest).toMatchObject(rest)
      expect(view?.data).toEqual(dataModel ?? view?.data)
    }
  })

  /** Cases of `validator_v0_9` whose limits are not those of this specification. */
  const elsewhere = /recursion_limit_exceeded|function_call_recursion/
  const validated = casesOf('validator_v0_9.json').filter(({ name }) => !elsewhere.test(name))
  test.each(validated)('SN-15 to SN-17: $name', (one) => {
    const { catalog_schema: document } = one.catalog as { catalog_schema: JsonObject }
    const parsed = parseCatalog(
      { catalogId: 'c', $defs: { CatalogComponentCommon: {} }, ...document },
      { version },
    )
    const steps = (one.steps ?? [one]) as { payload: unknown[]; expect_error?: unknown }[]
    for (const { payload, expect_error: expected } of steps) {
      const ids = payload.flatMap((message) => {
        const created = (message as { createSurface?: { catalogId: string } }).createSurface
        return created === undefined ? [] : [created.catalogId]
      })
      const catalogAliases = Object.fromEntries(ids.map((id) => [id, parsed.catalogId]))
      const found = validateMessages(payload, {
        version,
        catalogs: [parsed],
        catalogAliases,
        complete: payload.length > 1,
      })
      const errors = found.filter(({ severity }) => severity === 'error')
      expect({ payload, errors: errors.length > 0 }).toEqual({
        payload,
        errors: expected !== undefined,
      })
    }
  })
})
