import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { catalogueJson } from '../../flow-engine/src/components/registry/catalogue.ts'
import { codeHash } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'

type Attributes = Record<string, unknown>
interface RecordedNode {
  readonly form: 'full' | 'compact'
  readonly inputs: readonly Attributes[]
  readonly outputs: readonly Attributes[]
  readonly field_order: readonly string[]
  readonly base_classes?: readonly string[]
  readonly [key: string]: unknown
}

const file = join(import.meta.dirname, '../../../../shared/reference/components.json')
const recorded = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as {
      compact_defaults: Attributes
      output_defaults: Attributes
      categories: Record<string, Record<string, RecordedNode>>
    })
  : undefined

/** Texts of our own, telemetry of the recorded service, and descriptions of table columns. */
const OWN = new Set(['info', 'track_in_telemetry', 'trace_as_input', 'trace_as_metadata'])

function comparable(attributes: Attributes, defaults: Attributes): Attributes {
  const entries = Object.entries({ ...defaults, ...attributes }).filter(
    ([key, value]) =>
      !OWN.has(key) &&
      !(JSON.stringify(value) === JSON.stringify(defaults[key]) && !(key in attributes)) &&
      !JSON.stringify(value)?.includes('<long text'),
  )
  return JSON.parse(
    JSON.stringify(Object.fromEntries(entries), (key, value: unknown) =>
      (key === 'description' || key === 'info') && typeof value === 'string' ? undefined : value,
    ),
  ) as Attributes
}

/** The tiers of the recorded catalogue; components of other versions have a form of their own. */
const EXACT = builtinComponents.filter(({ category = '', type }) => {
  const tier = recorded?.categories[category]?.[type]?.['tier']
  return typeof tier === 'string' && tier !== 'starter'
})

describe.skipIf(recorded === undefined)(
  'the catalogue matches the recorded one (CO-11, FE-41)',
  () => {
    const ours = catalogueJson(builtinComponents)

    test.for(EXACT.map((component) => [component.type, component] as const))(
      '%s',
      ([type, { category = '' }]) => {
        const wanted = recorded?.categories[category]?.[type]
        const node = ours[category]?.[type]
        const differing: unknown[] = []
        const compare = (name: string, actual: unknown, reference: unknown): void => {
          if (JSON.stringify(actual) !== JSON.stringify(reference)) {
            differing.push({ name, actual, reference })
          }
        }
        compare('field_order', node?.field_order, [...new Set(wanted?.field_order)])
        for (const key of ['display_name', 'icon'] as const)
          compare(key, node?.[key], wanted?.[key])
        compare('module', node?.metadata?.module, wanted?.module)
        for (const input of wanted?.inputs ?? []) {
          const defaults = wanted?.form === 'compact' ? (recorded?.compact_defaults ?? {}) : {}
          const expected = comparable(input, defaults)
          const actual = node?.template[String(input.name)] ?? {}
          for (const [key, value] of Object.entries(expected)) {
            const own = comparable(actual, {})
            compare(`${String(input.name)}.${key}`, own[key], value)
          }
          for (const key of Object.keys(actual)) {
            if (OWN.has(key) || key in input || wanted?.form === 'compact') continue
            differing.push({ name: `${String(input.name)}.${key}`, actual: actual[key] })
          }
        }
        for (const [index, each] of (wanted?.outputs ?? []).entries()) {
          const shown = node?.outputs?.[index] ?? {}
          for (const key of [
            'name',
            'display_name',
            'method',
            'types',
            'cache',
            'tool_mode',
            'hidden',
            'allows_loop',
            'group_outputs',
            'loop_types',
          ]) {
            const value = each[key] ?? recorded?.output_defaults[key]
            if (value !== undefined && !(key === 'hidden' && value === false))
              compare(`output ${key}`, Reflect.get(shown, key), value)
          }
        }
        expect(differing).toEqual([])
      },
    )
  },
)

describe('catalogueJson (CO-11, FE-41)', () => {
  const shout = defineComponent({
    type: 'Shout',
    category: 'processing',
    inputs: { text: field.message({ required: true }), loud_times: field.int({ default: 1 }) },
    outputs: { result: output.message({ run: () => 'x' }) },
  })
  const node = catalogueJson([shout]).processing?.Shout

  test('every object lists its keys in ASCII order', () => {
    const unsorted: string[] = []
    JSON.stringify(node, (key, value: unknown) => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        const keys = Object.keys(value)
        if (keys.join('\n') !== keys.toSorted().join('\n')) unsorted.push(key)
      }
      return value
    })
    expect(unsorted).toEqual([])
  })

  test('missing names, methods and hashes are generated', () => {
    expect(node).toMatchObject({
      display_name: 'Shout',
      field_order: ['text', 'loud_times'],
      base_classes: ['Message'],
      outputs: [{ name: 'result', display_name: 'Result', method: 'result', selected: 'Message' }],
    })
    expect(node?.template.loud_times).toMatchObject({ display_name: 'Loud Times', value: 1 })
    const code = String(node?.template.code?.value)
    expect(node?.metadata?.code_hash).toBe(codeHash(code))
    expect(codeHash('')).toBe('e3b0c44298fc')
  })
})
