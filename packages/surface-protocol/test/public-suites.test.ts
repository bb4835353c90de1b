import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  createUserAction,
  standardCatalogV08,
  type JsonObject,
} from '@x/surface-protocol'
import { formatCatalog, parseCatalog, pruneCatalog } from '@x/surface-protocol/catalog'
import { createMessageExtractor, express } from '@x/surface-protocol/llm'
import { formatText } from '../../../tools/format-text.ts'

const folder = new URL('../../../../shared/reference/a2ui/conformance/', import.meta.url)
const isThere = existsSync(folder)
const read = (suite: string) => JSON.parse(readFileSync(new URL(`${suite}.json`, folder), 'utf8'))
const casesOf = <Case>(suite: string): ({ name: string } & Case)[] =>
  isThere ? read(suite).cases : []
const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'

/** Where each suite is run, and the cases that are not, with the reason. */
const suites: Record<string, readonly [file: string, others?: Record<string, string>]> = {
  actions: ['public-suites'],
  call_resolution: ['v1-cases'],
  catalog_prune: [
    'public-suites',
    {
      'messages|common_types': 'about a JSON schema of messages; prompts take `messages` instead',
    },
  ],
  catalog_transformer: ['public-suites'],
  composition_constraints: ['v1-cases'],
  data_deletion: ['v1-cases'],
  data_model: ['v09-cases'],
  data_model_pointers: ['v1-cases'],
  direct_json: ['model-output'],
  direct_json_streaming: ['public-suites'],
  express_response_parser: ['public-suites'],
  expressions: ['functions'],
  functions: ['functions'],
  message_processor_v0_8: ['public-suites', { get_renderer: 'about a renderer' }],
  message_processor_v0_9: ['v09-cases', { 'get_renderer|resolve_path': 'about a renderer' }],
  message_processor_v1_0: ['v1-cases'],
  multi_catalog: ['v1-cases'],
  node_resolution: ['v09-cases'],
  request_processor: ['model-output'],
  reserved_keys: ['v1-cases'],
  rpc_functions: ['rpc', { 'activation|function_dispatch': 'about a renderer' }],
  validation_result: ['v1-cases'],
  validator_v0_9: [
    'v09-cases',
    {
      'recursion_limit_exceeded|function_call_recursion': 'limits other than those of the package',
    },
  ],
  validator_v1_0: ['v1-cases'],
}

describe.runIf(isThere)('SX-59: public suites', () => {
  type Action = Record<'actionPayload' | 'dataModel' | 'expectDispatched', JsonObject> & {
    scope?: string
    decision?: string
    code?: string
    hint?: string
  }
  /** A store with a button of this action, for each item of a list if the case has a scope. */
  const withButton = ({ actionPayload, dataModel, scope }: Action) => {
    const store = createSurfaceStore({ version: '0.9.1' })
    const say = (message: object) => store.apply({ version: 'v0.9.1', ...message })
    say({ createSurface: { surfaceId: 's', catalogId } })
    say({ updateDataModel: { surfaceId: 's', value: dataModel ?? { x: 1 } } })
    const [, list = '', at = ''] = scope?.split('/') ?? []
    const button = { component: 'Button', child: 't', action: actionPayload }
    const children = { componentId: 'button', path: `/${list}` }
    const scoped = [
      { id: 'root', component: 'List', children },
      { id: 'button', ...button },
    ]
    const text = { id: 't', component: 'Text', text: 'Go' }
    const components = [...(list === '' ? [{ id: 'root', ...button }] : scoped), text]
    return { store, at, result: say({ updateComponents: { surfaceId: 's', components } }) }
  }
  const actions = casesOf<Action>('actions')
  test.each(actions.filter(({ decision }) => decision === undefined))('actions, $name', (one) => {
    const { store, at } = withButton(one)
    const root = store.tree('s')
    const nodes = (root?.properties['children'] ?? []) as { id: string }[]
    const nodeId = (at === '' ? root : nodes[Number(at)])?.id ?? ''
    const message = createUserAction(store, { surfaceId: 's', nodeId })
    expect((message as { action: JsonObject }).action).toMatchObject(one.expectDispatched)
  })
  test.each(actions.filter(({ decision }) => decision === 'refused'))(
    'actions, $name, is refused',
    (one) => {
      const { applied, diagnostics } = withButton(one).result
      expect(applied).toBe(false)
      const { code, hint } = one
      expect(diagnostics[0]).toMatchObject({
        ...(code === undefined ? {} : { code }),
        ...(hint === undefined ? {} : { hint }),
      })
    },
  )

  type Processed = {
    action?: string
    mode?: 'strict' | 'tolerant'
    messages: unknown[]
    expectError?: object
    expect?: { surfaces: Record<string, { theme?: JsonObject; dataModel?: JsonObject }> }
  }
  const processed = casesOf<Processed>('message_processor_v0_8')
  test.each(processed.filter(({ action }) => action === undefined))(
    'message_processor_v0_8, $name',
    ({ mode = 'strict', messages, expectError, expect: wanted }) => {
      const catalogAliases = { 'v08-cat': standardCatalogV08.catalogId }
      const store = createSurfaceStore({ mode, catalogAliases })
      const results = store.applyAll(messages)
      expect(results.every(({ applied }) => applied)).toBe(expectError === undefined)
      for (const [surfaceId, { theme, dataModel }] of Object.entries(wanted?.surfaces ?? {})) {
        const view = store.get(surfaceId)
        expect(view?.styles).toEqual(theme ?? {})
        expect(view?.data).toEqual(dataModel ?? {})
      }
    },
  )

  type Part = { text?: string; a2ui_raw?: string; is_final?: boolean }
  type Parsed = { input?: string; expect?: Part[]; parts?: Part[]; expect_output?: string } & {
    expect_contains?: string[]
  }
  const blockOf = ({ text, a2ui_raw: raw = '', is_final: final = true }: Part) => {
    if (text !== undefined) return { kind: 'text' as const, text }
    return { kind: 'block' as const, raw, ...(final ? {} : { truncated: true as const }) }
  }
  const parsedCases = casesOf<Parsed>('express_response_parser')
  test.each(parsedCases.filter(({ input }) => input !== undefined))(
    'express_response_parser, $name',
    ({ input = '', expect: wanted = [] }) => {
      expect(express().unwrap(input)).toEqual(wanted.map(blockOf))
    },
  )
  test.each(parsedCases.filter(({ input }) => input === undefined))(
    'express_response_parser, $name',
    ({ parts = [], expect_output: output, expect_contains: pieces = [] }) => {
      const text = express().wrap(parts.map(blockOf))
      expect(text).toBe(output ?? text)
      for (const piece of pieces) expect(text).toContain(piece)
      expect(express().unwrap(text)).toEqual(parts.map(blockOf))
    },
  )

  type Streamed = { steps: { input: string; emits: string[]; text?: string }[] }
  test.each(casesOf<Streamed>('direct_json_streaming'))(
    'direct_json_streaming, $name',
    ({ steps }) => {
      const extractor = createMessageExtractor({ version: '0.9', progressive: true })
      for (const { input, emits, text } of steps) {
        const parts = extractor.push(input)
        const names = parts.flatMap((part) => {
          if (part.kind !== 'message') return []
          const { updateComponents, version: _, ...others } = part.message as JsonObject
          if (updateComponents === undefined) return Object.keys(others)
          return (updateComponents as { components: { id: string }[] }).components.map(
            ({ id }) => id,
          )
        })
        expect(names).toEqual(emits)
        const said = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
        expect(said.trimEnd()).toBe(text ?? said.trimEnd())
      }
    },
  )

  type Pruned = {
    catalog: JsonObject
    components?: string[]
    args?: { allowed_components?: string[] }
  }
  const pruned = [...casesOf<Pruned>('catalog_transformer'), ...casesOf<Pruned>('catalog_prune')]
  test.each(pruned.filter(({ name }) => !/messages|common_types/.test(name)))(
    'catalog_transformer and catalog_prune, $name',
    ({ catalog, components, args }) => {
      const document = (catalog['catalog_schema'] ?? catalog) as JsonObject
      const allowed = components ?? args?.allowed_components ?? []
      const parsed = parseCatalog(document, { version: '0.9.1' })
      const known = allowed.filter((type) => parsed.types.includes(type))
      const left = formatCatalog(pruneCatalog(parsed, { components: allowed }))
      expect(Object.keys(left['components'] as object)).toEqual(known)
      const { anyComponent } = (left['$defs'] ?? {}) as { anyComponent?: { oneOf: unknown[] } }
      const refs = known.map((type) => ({ $ref: `#/components/${type}` }))
      expect(anyComponent?.oneOf ?? refs).toEqual(refs)
    },
  )

  test('the page lists every suite', async () => {
    const rows = Object.entries(suites).map(([suite, [file, others = {}]]) => {
      const document = read(suite) as { source: string; cases: { name: string; action?: string }[] }
      const [, commit = ''] = document.source.split(' @ ')
      const reasons = Object.entries(others).map(([pattern, reason]) => {
        const left = document.cases.filter((one) =>
          new RegExp(pattern).test(
            one.action === undefined ? one.name : `${one.name} ${one.action}`,
          ),
        )
        return { count: left.length, reason }
      })
      const count = reasons.reduce((sum, one) => sum + one.count, 0)
      const words = reasons.map((one) => `${one.count}: ${one.reason}`).join('; ')
      const name = `[${suite}](../../packages/surface-protocol/test/${file}.test.ts)`
      const total = document.cases.length
      return `| ${name} | \`${commit.slice(0, 8)}\` | ${total} | ${total - count} | ${words} |`
    })
    const page = `# Conformance of surfaces

The public suites of A2UI, each at the commit of its source, and how many of its cases the tests of the package run and pass. What
is left out has its reason. \`npx vitest run --config vitest.workspace.ts -u packages/surface-protocol/test/public-suites.test.ts\`
writes this page.

| suite | commit | cases | passed | left out |
| ----- | ------ | ----- | ------ | -------- |
${rows.join('\n')}

Four cases of \`actions\` are passed by refusing what they send: an event's \`userMessage\` belongs to 1.0, an action without \`event\` has
no schema, and an unknown function is found when the component is written, before a user can click.
`
    const path = '../../../docs/reference/surface-conformance.md'
    await expect(await formatText(path, page)).toMatchFileSnapshot(path)
    const names = Object.keys(suites)
    expect(names).toEqual(names.toSorted())
  })
})
