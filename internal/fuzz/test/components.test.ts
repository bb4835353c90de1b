import { builtinComponents } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { testComponent, type TestComponentResult } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import { createDice, createWatch, FUZZ_CASES, FUZZ_MEASURES } from '../src/index.ts'
import { makeAttack, type Attack } from './components/cases.ts'
import { measure, sizeOf, type Outcome } from './components/measure.ts'
import {
  createQuickRuntime,
  createServices,
  jsonQueries,
  modelsFor,
} from './components/services.ts'

/** Characters or values of an input: as many as a body of a stranger has, in the long run. */
const SIZE = FUZZ_MEASURES ? 100_000 : 3_000
/** Each case of the long run is as long as a hundred others. */
const CASES = FUZZ_MEASURES ? FUZZ_CASES / 10 : FUZZ_CASES
/** So many cases reach every component. */
const REACHING = 2_000

/** Milliseconds of processor time without a turn for others: 250 of a pattern, and noise. */
const MOST_STEP = 400
/** Four times the input may cost this many times as much: linear work, sorting and noise. */
const MOST_GROWTH = 8
/** Milliseconds below which growth is noise. */
const FLOOR = 400
/** Bytes of the heap: what 64 MiB of values cost (FE-64), twice. */
const MOST_HEAP = 1_000_000_000
/** An output has so many times the size of the input, or what the limits of a value allow. */
const MOST_TIMES = 40
const MOST_OUTPUT = 48_000_000

/** Errors of the language, which say nothing about a field; `null (null)` is a value that jq names. */
const INTERNAL =
  /call stack|Invalid (?:string|array) length|Cannot (?:read|set|convert|destructure|mix)|is not (?:a function|iterable|a constructor)|allocation failed|Invalid count value|circular structure|null \((?!null\))/

/** Components of which no case ends with a result here, and why. */
const WITHOUT_RESULT: Readonly<Record<string, string>> = {
  AstraDB: 'the answers of a paid service are needed, one after another',
  pgvector: 'the answers of a PostgreSQL database with vectors are needed',
  AssemblyAITranscriber:
    'asks a paid service until it is ready, which a clock without waits ends first',
  RunFlow: 'runs a flow, which needs a run around it: see flows.test.ts',
  SubFlow: 'runs a flow, which needs a run around it: see flows.test.ts',
}

/** Components whose fields have many operations are attacked more often. */
function weightOf({ category }: Component): number {
  if (category === 'processing') return 4
  return ['vendors', 'models', 'cohere'].includes(category ?? '') ? 1 : 2
}

afterAll(() => jsonQueries.close())

interface Run extends Outcome {
  readonly size: number
}

async function runAttack({ component, output, ...attack }: Attack, n: number): Promise<Run> {
  const answer = attack.answer(n)
  const inputs = { ...attack.inputs(n), ...modelsFor(component, answer) }
  const size = sizeOf([inputs, answer])
  const outcome = await measure(() =>
    testComponent(component, {
      inputs,
      services: createServices(answer),
      runtime: createQuickRuntime(),
      signal: AbortSignal.timeout(60_000),
      ...(output === undefined ? {} : { output }),
    }),
  )
  return { size, ...outcome }
}

/** What breaks a rule in the way a case ended. */
function faultsOf({ value, error, size }: Run): string[] {
  if (error !== undefined) {
    const text = error instanceof Error ? error.message : ''
    if (text === '') return ['an error without a reason']
    return INTERNAL.test(text) ? [text.slice(0, 200)] : []
  }
  const made = sizeOf((value as TestComponentResult).outputs)
  const most = Math.max(MOST_OUTPUT, MOST_TIMES * size)
  return made > most ? [`an output of ${made} for an input of ${size}`] : []
}

/** What breaks a rule in what a case costs; measured again before it counts. */
async function costsOf(attack: Attack, first: Run): Promise<string[]> {
  const faults: string[] = []
  if (first.step > MOST_STEP) {
    const again = await runAttack(attack, SIZE)
    const step = Math.min(first.step, again.step)
    if (step > MOST_STEP) faults.push(`a step of ${Math.round(step)} ms`)
  }
  if (first.heap > MOST_HEAP) faults.push(`${Math.round(first.heap / 1e6)} MB of heap`)
  if (first.cpu * MOST_GROWTH < FLOOR) return faults
  const four = await runAttack(attack, 4 * SIZE)
  const growth = (four.cpu / first.cpu) * ((4 * first.size) / Math.max(four.size, first.size))
  if (four.cpu > FLOOR && growth > MOST_GROWTH) {
    const [again, fourAgain] = [await runAttack(attack, SIZE), await runAttack(attack, 4 * SIZE)]
    const [one, most] = [Math.max(first.cpu, again.cpu), Math.min(four.cpu, fourAgain.cpu)]
    if (most / one > MOST_GROWTH)
      faults.push(`${Math.round(one)} ms, with four times the input ${Math.round(most)} ms`)
  }
  return faults
}

test(
  'AB-29, AB-93: every component ends in bounded size and time, whatever its inputs and settings',
  { timeout: 3_600_000 },
  async () => {
    const watch = createWatch()
    const faults: string[] = []
    const reached = new Set<string>()
    const only = process.env['FUZZ_COMPONENT']
    const components = builtinComponents.filter(
      ({ type }) => only === undefined || only.split(',').includes(type),
    )
    const total = components.reduce((sum, component) => sum + weightOf(component), 0)
    for (const component of components) {
      const count = Math.ceil((CASES * weightOf(component)) / total)
      for (let k = 0; k < count; k += 1) {
        const attack = makeAttack(component, createDice(k * 7919 + component.type.length))
        const run = await watch.time(attack.label, SIZE, () => runAttack(attack, SIZE))
        if (run.error === undefined) reached.add(component.type)
        const found = faultsOf(run)
        if (FUZZ_MEASURES) found.push(...(await costsOf(attack, run)))
        for (const fault of found) faults.push(`${fault}: #${k} ${attack.label}`.slice(0, 800))
        if (FUZZ_MEASURES && found.length > 0) process.stdout.write(`${faults.at(-1)}\n`)
      }
    }
    if (FUZZ_MEASURES) process.stdout.write(`${watch.report('Components')}\n`)
    expect(faults).toEqual([])
    if (CASES < REACHING) return
    const without = components.filter(({ type }) => !reached.has(type)).map(({ type }) => type)
    expect(without.filter((type) => WITHOUT_RESULT[type] === undefined)).toEqual([])
    const known = new Set(builtinComponents.map(({ type }) => type))
    expect(Object.keys(WITHOUT_RESULT).filter((type) => !known.has(type))).toEqual([])
  },
)
