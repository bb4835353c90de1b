import { builtinComponents } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import type { Dice } from '../../src/index.ts'
import { EDGES, TEXTS } from './shapes.ts'
import { ANSWERS } from './services.ts'

/** One attack on a component: the same choices at any size. */
export interface Attack {
  readonly component: Component
  readonly label: string
  readonly output: string | undefined
  inputs(n: number): Record<string, unknown>
  /** What services, models and files outside answer. */
  answer(n: number): string
}

type Field = Component['inputs'][string]

/** Fields through which the data of a run flow. */
const DATA_KINDS = new Set([
  'message',
  'text',
  'multiline',
  'query',
  'stream',
  'data',
  'dataFrame',
  'handle',
])
/** Those that have no other value than what an edge brings. */
const EDGE_KINDS = new Set(['data', 'dataFrame', 'handle'])
const CHOICES = new Set(['dropdown', 'tab', 'multiselect', 'sortableList'])

/** Settings that multiply, match everything, or name what every value has. */
const SETTINGS: readonly ((n: number) => string)[] = [
  () => '',
  () => ' ',
  () => 'a',
  () => 'k0',
  () => 'text',
  () => 'text',
  () => 'a',
  () => '\n',
  () => ',',
  () => '|',
  () => '.*',
  () => '(a+)+$',
  () => '(?=a)a',
  () => '[',
  () => '.',
  () => '.a[]',
  () => 'range(1e9)',
  () => '__proto__',
  () => 'no such column',
  () => '\uD800',
  () => '{text}',
  () => '{text:>10000}',
  () => '{text!r:^9999999999}',
  () => '{a} {text}'.repeat(50),
  () => 'x'.repeat(1000),
  (n) => 'a'.repeat(n),
  (n) => 'a,'.repeat(n / 2),
  (n) => '{text}'.repeat(n / 6),
  (n) => '['.repeat(n),
  (n) => '(a|b)'.repeat(n / 5),
]

const NUMBERS: readonly ((n: number) => unknown)[] = [
  () => 0,
  () => 1,
  () => 2,
  () => 3,
  () => -1,
  () => 100,
  () => 99,
  () => 2 ** 31,
  () => 1e308,
  () => Infinity,
  () => Number.NaN,
  () => '7',
  () => 'no number',
  (n) => n,
  (n) => n - 1,
  (n) => n / 2,
]

/** Operations of all components: some components offer them only after another choice. */
const OPERATIONS = [
  ...new Set(
    builtinComponents
      .flatMap((component) => optionsOf(component.inputs['operation']))
      .concat('Concatenate', 'Merge'),
  ),
]

function optionsOf(field: Field | undefined): string[] {
  const { options = [] } = (field?.options ?? {}) as {
    readonly options?: readonly (string | { readonly name: string })[]
  }
  return options.map((option) => (typeof option === 'string' ? option : option.name))
}

/** What keeps a component from its work unless it is right. */
const NEEDED: Readonly<Record<string, () => unknown>> = {
  storage_location: () => [{ name: 'Local' }],
  file_name: () => 'file',
  path: () => 'file.txt',
  file_path: () => 'file.txt',
  url: () => 'http://a.example/x',
  flow_name: () => 'echo',
  collection_name: () => 'a',
  knowledge_base: () => 'a',
  urls: () => ['http://a.example/x'],
}

/** Of these a component takes one. */
const ONE_OF = new Set([
  'csv_file',
  'csv_path',
  'csv_string',
  'json_file',
  'json_path',
  'json_string',
])

/** Choices for one attack; the same for every size. */
export function makeAttack(component: Component, dice: Dice): Attack {
  const made: ((n: number) => readonly [string, unknown])[] = []
  const words: string[] = []
  const isSame = dice.chance(0.7)
  const shape = dice.integer(1_000_000)
  const hasPicker = Object.values(component.inputs).some(({ fieldKind }) => fieldKind === 'picker')
  for (const [name, field] of Object.entries(component.inputs)) {
    // A connected model, as all of them get here, has no other name.
    if (hasPicker && (name === 'model_name' || name === 'provider')) continue
    const pick = pickValue(name, field, { dice, isSame, shape })
    if (pick === undefined) continue
    words.push(`${name}=${pick.label}`)
    made.push((n) => [name, pick.make(n)])
  }
  const answer = pickAnswer(dice)
  words.push(`answer=${answer.label}`)
  const outputs = Object.keys(component.outputs)
  const output = outputs.length === 0 ? undefined : dice.pick(outputs)
  return {
    component,
    label: `${component.type}.${output ?? ''} ${words.join(' ')}`,
    output,
    inputs: (n) => Object.fromEntries(made.map((make) => make(n))),
    answer: (n) => answer.make(n),
  }
}

interface Pick {
  readonly label: string
  make(n: number): unknown
}

function pickAnswer(dice: Dice): { readonly label: string; make(n: number): string } {
  if (dice.chance(0.3)) {
    const text = dice.pick(ANSWERS)
    return { label: text.slice(0, 20), make: () => text }
  }
  const [label, make] = dice.pick(Object.entries(TEXTS))
  return { label, make }
}

function pickValue(
  name: string,
  field: Field,
  {
    dice,
    isSame,
    shape,
  }: { readonly dice: Dice; readonly isSame: boolean; readonly shape: number },
): Pick | undefined {
  const kind = field.fieldKind
  if (ONE_OF.has(name) && dice.chance(0.6)) return undefined
  const needed = NEEDED[name]
  if (needed !== undefined && dice.chance(0.9)) return { label: 'needed', make: needed }
  if (CHOICES.has(kind)) return pickChoice(name, field, dice)
  if (DATA_KINDS.has(kind) && (EDGE_KINDS.has(kind) || dice.chance(0.5))) {
    return pickEdge(field, isSame ? shape : dice.integer(1_000_000), dice)
  }
  if (kind === 'int' || kind === 'float' || kind === 'slider') {
    if (dice.chance(0.5)) return undefined
    const make = dice.pick(NUMBERS)
    return { label: String(make(1000)), make }
  }
  if (kind === 'bool') {
    const value = dice.chance(0.5)
    return { label: String(value), make: () => value }
  }
  if (kind === 'dict' || kind === 'nestedDict')
    return entryOf('object', dice.integer(1_000_000), dice)
  if (kind === 'table')
    return dice.chance(0.5) ? undefined : entryOf('rows', dice.integer(1_000_000), dice)
  if (kind === 'secret') return { label: 'key', make: () => 'key' }
  if (kind === 'file') return { label: 'file.txt', make: () => ['file.txt'] }
  if (
    ['text', 'multiline', 'query', 'string', 'prompt', 'code', 'message', 'link'].includes(kind)
  ) {
    if (field.options.list === true) return entryOf('list of text', dice.integer(1_000_000), dice)
    if (dice.chance(0.3)) return undefined
    const make = dice.pick(SETTINGS)
    return { label: JSON.stringify(make(30).slice(0, 40)), make }
  }
  return undefined
}

function pickChoice(name: string, field: Field, dice: Dice): Pick | undefined {
  if (dice.chance(0.1)) return undefined
  const options = name === 'operation' && dice.chance(0.9) ? operationsOf(field) : optionsOf(field)
  const value = options.length === 0 || dice.chance(0.03) ? 'no such choice' : dice.pick(options)
  const isList = field.fieldKind === 'sortableList' || field.fieldKind === 'multiselect'
  const wrapped = field.fieldKind === 'sortableList' ? [{ name: value }] : [value]
  return { label: value, make: () => (isList ? wrapped : value) }
}

/** A component that offers the operations of texts offers others after a choice. */
function operationsOf(field: Field): readonly string[] {
  return optionsOf(field).includes('Text Join') ? OPERATIONS : optionsOf(field)
}

function pickEdge(field: Field, at: number, dice: Dice): Pick | undefined {
  const { types, inputTypes } = field.options
  const accepted = types ?? inputTypes ?? [field.fieldKind === 'data' ? 'Data' : 'Message']
  const known = accepted.filter((type) => ['Message', 'Data', 'DataFrame'].includes(type))
  if (field.fieldKind === 'dataFrame') return entryOf('DataFrame', at, dice)
  if (known.length === 0) return undefined
  const type = dice.pick(known)
  const takesLists = field.fieldKind === 'handle' || field.options.list === true
  if (takesLists && dice.chance(0.3) && type !== 'DataFrame')
    return entryOf(`list of ${type}`, at, dice)
  return entryOf(type, at, dice)
}

function entryOf(type: string, at: number, dice: Dice): Pick | undefined {
  const names = Object.keys(EDGES[type]?.(1) ?? {})
  if (names.length === 0) return undefined
  const name = names[at % names.length] ?? dice.pick(names)
  return { label: `${type}: ${name}`, make: (n) => EDGES[type]?.(n)[name]?.() }
}
