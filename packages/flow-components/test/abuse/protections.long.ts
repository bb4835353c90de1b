// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { defineComponent, field, output } from '@x/flow-engine'
import type { Component } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { AddressBlockedError } from '@x/flow-engine/node'
import { testComponent } from '@x/flow-engine/testing'

/** Takes a backtracking engine some seconds on the text below, and a linear one nothing. */
const PATTERNS = ['(a+)+$', '(a|aa)+$']
const TEXT = `${'a'.repeat(25)}!`

/** Milliseconds of processor time: half of what a backtracking engine takes here for the first pattern. */
const BOUND = backtrackingMs() / 2

function backtrackingMs(): number {
  const pattern = new RegExp(PATTERNS[0] ?? '')
  // Compiled after some use; before that it is interpreted, and slower than it may be in the tests.
  for (let use = 0; use < 10; use += 1) pattern.test('aa!')
  const { user: before } = process.cpuUsage()
  pattern.test(TEXT)
  return (process.cpuUsage().user - before) / 1000
}

const rows = createDataFrame([{ text: TEXT, a: TEXT }])
const data = createData({ text: TEXT, a: TEXT })

/** The pattern in one field, and the text in every other that takes any. */
function valuesOf({ inputs }: Component, wanted: string, pattern: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { fieldKind, options }]) => {
      if (name === wanted) return [name, pattern]
      // A choice stays what it is, unless a test asks for another one.
      if ('options' in options && options.default !== undefined) return [name, options.default]
      if (/dataframe|table|^df$/i.test(`${fieldKind} ${name}`)) return [name, rows]
      if (/data|json/i.test(fieldKind)) return [name, data]
      if (/text|message|prompt|multiline|str/i.test(fieldKind)) return [name, TEXT]
      return [name, options.default ?? undefined]
    }),
  )
}

const takesText = ({ inputs }: Component): string[] =>
  Object.entries(inputs).flatMap(([name, { fieldKind }]) =>
    /text|message|prompt|multiline|str|secret|query|code/i.test(fieldKind) ? [name] : [],
  )

/** Choices of a component that may lead to a pattern: operators, modes, operations. */
const choicesOf = ({ inputs }: Component): (readonly [string, unknown])[] =>
  Object.entries(inputs).flatMap(([name, { options }]) => {
    const list = (options as { options?: readonly unknown[] }).options
    return Array.isArray(list) ? list.slice(0, 20).map((value) => [name, value] as const) : []
  })

/** Milliseconds of processor time of one output; what waits for something is left alone. */
async function costOf(
  component: Component,
  inputs: Record<string, unknown>,
  wanted: string,
): Promise<number> {
  const refused: typeof fetch = () => Promise.reject(new AddressBlockedError(''))
  const { user: before } = process.cpuUsage()
  const signal = AbortSignal.timeout(200)
  const options = { inputs, signal, services: { fetch: refused }, output: wanted }
  await Promise.race([
    testComponent(component, options).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 5)),
  ])
  return (process.cpuUsage().user - before) / 1000
}

/** Puts patterns into each field with each choice, for each output; what takes long, and how much was tried. */
async function attack(
  components: Iterable<Component>,
): Promise<{ readonly slow: readonly string[]; readonly tried: number }> {
  const slow: string[] = []
  let tried = 0
  for (const component of components) {
    const choices = [undefined, ...choicesOf(component)]
    for (const name of takesText(component)) {
      for (const choice of choices) {
        for (const pattern of PATTERNS) {
          for (const wanted of Object.keys(component.outputs)) {
            const inputs = valuesOf(component, name, pattern)
            if (choice !== undefined && choice[0] !== name) {
              const [chosen, value] = choice
              inputs[chosen] = Array.isArray(inputs[chosen]) ? [{ name: value }] : value
            }
            tried += 1
            const spent = await costOf(component, inputs, wanted)
            if (spent > BOUND) slow.push(`${component.type}.${name} ${pattern}: ${spent} ms`)
          }
        }
      }
    }
  }
  return { slow, tried }
}

test('AB-30, AB-93: no component field runs a backtracking regular expression', async () => {
  const { slow, tried } = await attack(builtinComponents)
  expect(slow).toEqual([])
  expect(tried).toBeGreaterThan(1_000)
})

test('AB-93: a component that uses a JavaScript RegExp is detected', async () => {
  const careless = defineComponent({
    type: 'Careless',
    inputs: { text: field.text(), pattern: field.text() },
    outputs: {
      other: output.message({ run: () => createMessage('') }),
      found: output.message({
        run: ({ text, pattern }) =>
          createMessage(String(new RegExp(pattern ?? '').test(text ?? ''))),
      }),
    },
  })
  const { slow } = await attack([careless])
  expect(slow.join('\n')).toContain('Careless.pattern (a+)+$')
})

test('AB-53, AB-93: a field whose name says secret is declared as one', () => {
  const open = [...builtinComponents].flatMap(({ type, inputs }) =>
    Object.entries(inputs)
      .filter(
        ([name, { fieldKind }]) =>
          /api_?key|secret|password|passphrase|credential|(^|_)token$/i.test(name) &&
          !/secret/i.test(fieldKind),
      )
      .map(([name, { fieldKind }]) => `${type}.${name} ${fieldKind}`),
  )
  expect(open).toEqual([])
})
