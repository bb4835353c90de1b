import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { checkFlow } from '@x/flow-engine'
import { runFlow } from '@x/flow-engine'
import { bundledExamples } from './bundled-examples.ts'

const components = createRegistry(builtinComponents)
const examples = bundledExamples(components)

describe('bundledExamples', () => {
  test('contains the three examples that the editor finds by name, and offline ones', () => {
    const names = examples.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['Basic Prompting', 'Vector Store RAG', 'Simple Agent', 'Echo']),
    )
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length)
  })

  test.each(examples.map((example) => [example.name, example] as const))(
    '%s compiles without a problem',
    (_name, { data }) => {
      expect(
        checkFlow(data, { components }).filter(({ severity }) => severity === 'error'),
      ).toEqual([])
    },
  )

  test('Echo runs without network access', async () => {
    const echo = examples.find(({ name }) => name === 'Echo')
    const result = await runFlow(echo?.data, { components, input: 'hi' }).result
    expect(result.text()).toBe('You said: hi')
  })

  test('an example with missing components is left out', () => {
    expect(bundledExamples(createRegistry([]))).toEqual([])
  })
})
