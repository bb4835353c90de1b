import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  checkComponent,
  createSurfaceStore,
  isSurfaceError,
  validateMessages,
  type Catalog,
  type JsonObject,
  type TreeNode,
} from '@x/surface-protocol'
import { parseCatalog } from '@x/surface-protocol/catalog'
import { evaluateFunction } from '@x/surface-protocol/functions'
import { basicCatalogV1, resolveCatalog, v1 } from '@x/surface-protocol/v1'
import { compileCatalog } from '../src/catalog/v09/compile-catalog.ts'
import { basicTableV1 } from '../src/catalog/v1/basic-table-v1.ts'

const folder = new URL('../../../../shared/reference/a2ui/', import.meta.url)
const isThere = existsSync(folder)
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
type Case = { name: string; [key: string]: unknown }
const casesOf = (file: string): Case[] => (isThere ? read(`conformance/${file}.json`).cases : [])

const documents: Record<string, JsonObject> = isThere ? read('conformance/catalogs.json') : {}
const basicV09 = isThere ? read('v0_9_1/catalogs/basic.json') : {}
const types = ['Button', 'Text', 'Column', 'PieChart', 'Video', 'Row']

/** A catalog of a case: a name, or a document without entries that accepts any type. */
function catalogOf(given: unknown): Catalog {
  if (given === 'basic') return basicCatalogV1
  if (given === 'basic-0.9') return parseCatalog(basicV09, { version: '0.9.1' })
  if (typeof given === 'string') return parseCatalog(documents[given], { version: v1 })
  const document = given as JsonObject
  const open = Object.fromEntries(types.map((type) => [type, { type: 'object' }]))
  const { components = open, protocolVersion } = document
  const isOld = typeof protocolVersion === 'string' && protocolVersion.includes('0.9')
  const version = isOld ? '0.9.1' : v1
  return parseCatalog({ ...document, components }, { version })
}

const BASIC = basicTableV1.catalogId
const catalogAliases = { basic: BASIC, 'test-catalog-v10': 'test' }
const testCatalog = { catalogId: 'test', protocolVersion: '1.0' }

type Step = { messages?: unknown; payload?: unknown[]; expectError?: unknown }

/** Applies the messages of a case; true when one of them was refused. */
function run(one: Case, catalogs: Catalog[], mode: 'strict' | 'tolerant') {
  const store = createSurfaceStore({ version: v1, catalogs, catalogAliases, mode })
  const steps = (one.steps ?? [one]) as Step[]
  const outcomes = steps.map((step) => {
    const given = (step.messages ?? step.payload) as unknown[] | { messages: unknown[] }
    const list = Array.isArray(given) ? given : given.messages
    const refused = store.applyAll(given).filter(({ applied }) => !applied)
    const found = validateMessages(list, {
      version: v1,
      catalogs,
      catalogAliases,
      mode,
      complete: one.strictMode === true && list.length > 1,
    })
    const errors = found.filter(({ severity }) => severity === 'error')
    const isWrong = refused.length > 0 || errors.length > 0
    return { isWrong, expected: step.expectError !== undefined, errors, refused }
  })
  return { store, outcomes }
}

const REFUSED = 'refused with an error of the package'

/** The result of a call, or the fact that it was refused. */
function outcomeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (isSurfaceError(error)) return REFUSED
    throw error
  }
}

function nodes(tree: TreeNode | null): Map<string, TreeNode> {
  const found = new Map<string, TreeNode>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as TreeNode
    if (typeof node.componentId === 'string') found.set(node.componentId, node)
    for (const member of Object.values(value)) look(member)
  }
  look(tree)
  return found
}

describe.runIf(isThere)('public cases of 1.0', () => {
  test('SN-49: the table is that of the published catalog', () => {
    expect(compileCatalog(read('v1_0/catalogs/basic.json'), '1.0')).toEqual(basicTableV1)
    expect([basicCatalogV1.types.length, basicCatalogV1.functionNames?.length]).toEqual([18, 14])
    expect(basicCatalogV1.protocolVersion).toBe('1.0')
  })

  const processed = [
    ...casesOf('message_processor_v1_0'),
    ...casesOf('call_resolution'),
    ...casesOf('data_deletion'),
    ...casesOf('data_model_pointers'),
  ]
  test.each(processed)('SN-14 SN-15 SN-24 SN-40 SN-43: $name', (one) => {
    const given = (one.catalogs as unknown[] | undefined) ?? ['basic', testCatalog]
    const mode = one.strictMode === true ? 'strict' : 'tolerant'
    const { store, outcomes } = run(one, given.map(catalogOf), mode)
    const wrong = outcomes.some(({ isWrong }) => isWrong)
    expect({ wrong, outcomes }).toMatchObject({ wrong: one.expectError !== undefined })
    const expected = (one.expect ?? one.expectAfterError) as { surfaces?: object } | undefined
    for (const [surfaceId, wanted] of Object.entries(expected?.surfaces ?? {})) {
      const { exists = true, dataModel, ...rest } = wanted
      const view = store.get(surfaceId)
      expect(view !== null).toBe(exists)
      expect(view ?? rest).toMatchObject(rest)
      expect(view?.data).toEqual(dataModel ?? view?.data)
    }
  })

  test.each([...casesOf('reserved_keys'), ...casesOf('composition_constraints')])(
    'SN-31 SN-47: $name',
    (one) => {
      const { catalog } = one as { catalog?: unknown }
      const document = (catalog as { catalogSchema?: JsonObject }).catalogSchema
      const isCustom = typeof catalog === 'object' && catalog !== null && 'components' in catalog
      const known = catalogOf(document ?? (isCustom ? catalog : 'basic'))
      const { store, outcomes } = run(one, [known], 'strict')
      const wrong = outcomes.some(({ isWrong }) => isWrong)
      expect({ wrong, outcomes }).toMatchObject({ wrong: one.expectError !== undefined })
      const { root } = (one.expect ?? {}) as { root?: JsonObject }
      expect(store.tree('s1')?.properties ?? {}).toMatchObject(root ?? {})
    },
  )

  test.each(casesOf('validation_result'))('SN-38 SN-41: $name', (one) => {
    const { store } = run(one, [basicCatalogV1], 'tolerant')
    const [[surfaceId, wanted]] = Object.entries(
      (one.expect as { surfaces: Record<string, { validationResult: JsonObject }> }).surfaces,
    ) as [[string, { validationResult: JsonObject }]]
    for (const [id, result] of Object.entries(wanted.validationResult)) {
      // The cases show no root: it is put around the input.
      store.apply({
        version: 'v1.0',
        updateComponents: {
          surfaceId,
          components: [{ id: 'root', component: 'Column', children: [id] }],
        },
      })
      // Sentences of other programs are not compared.
      const { message, ...rest } = result as JsonObject
      const found = checkComponent(store, surfaceId, id)
      expect(found).toMatchObject(rest)
      expect(found.message).toBe(rest.code === undefined ? message : 'Invalid value.')
    }
  })

  test.each(casesOf('validator_v1_0'))('SN-15 SN-17 SN-46: $name', (one) => {
    const { outcomes } = run(one, [catalogOf(one.catalog)], 'strict')
    for (const { isWrong, expected } of outcomes.slice(0, 1)) expect(isWrong).toBe(expected)
    for (const outcome of outcomes) {
      // A step that only updates stands for itself in these cases.
      const unknown = outcome.refused.every(({ diagnostics }) =>
        diagnostics.some(({ code }) => code === 'surface_not_found'),
      )
      const wrong = outcome.errors.length > 0 || (outcome.refused.length > 0 && !unknown)
      expect({ wrong, outcome }).toMatchObject({ wrong: outcome.expected })
    }
  })

  const evaluated = casesOf('functions').filter(
    ({ action, protocolVersion }) =>
      action === 'evaluate_function' && protocolVersion !== undefined,
  )
  test.each(evaluated)('SN-37 SN-43: $name', (one) => {
    const {
      function: name,
      args,
      surface,
      catalogId,
    } = one as unknown as {
      function: string
      args: JsonObject
      surface?: { catalogId?: string }
      catalogId?: string
    }
    const isV1 = one.protocolVersion === 'v1.0'
    const names = (one.catalogs ?? ['basic']) as string[]
    const options = isV1
      ? {
          version: v1,
          catalogs: names.map(catalogOf),
          surfaceCatalogId: surface === undefined ? BASIC : surface.catalogId,
        }
      : {}
    const call = () =>
      evaluateFunction(name, args, {
        ...options,
        ...(catalogId === undefined || !isV1 ? {} : { catalogId }),
      })
    expect(outcomeOf(call)).toEqual(one.expectError === undefined ? one.expect : REFUSED)
  })

  const resolved = casesOf('functions').filter(({ action }) => action === 'resolve')
  test.each(resolved)('SN-30 SN-33: $name', (one) => {
    const { store, outcomes } = run(one, [basicCatalogV1], 'strict')
    expect(outcomes[0]?.isWrong).toBe(one.expectError !== undefined)
    const shown = nodes(store.tree('main'))
    for (const [id, value] of Object.entries(
      (one.expect ?? {}) as Record<string, string | boolean>,
    )) {
      expect(shown.get(id)?.properties.text).toBe(String(value))
    }
  })

  test.each(casesOf('multi_catalog'))('SN-43: $name', (one) => {
    type Named = { catalogId?: string }
    const args = one.args as {
      surface: { defaultCatalogId: string; supportedCatalogIds: string[] }
      components?: Record<string, Named>
      functionCall?: Named
      catalogs?: Record<string, { protocolVersion: string }>
    }
    const catalogs = args.surface.supportedCatalogIds.map((catalogId) =>
      catalogOf({ catalogId, ...args.catalogs?.[catalogId] }),
    )
    const [, mixed] = args.surface.supportedCatalogIds
    const part = Object.values(args.components ?? {}).at(-1) ?? args.functionCall
    const own = args.catalogs === undefined ? part?.catalogId : mixed
    const select = () =>
      resolveCatalog({
        surfaceCatalogId: args.surface.defaultCatalogId,
        ...(own === undefined ? {} : { catalogId: own }),
        catalogs,
      }).catalogId
    expect(outcomeOf(select)).toBe(one.expectError === undefined ? one.expectSelected : REFUSED)
  })
})
