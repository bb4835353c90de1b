import { readFileSync } from 'node:fs'
import { builtinComponents } from '@x/flow-engine/components'
import { checkFlow, createRegistry, isFlowError, runFlow } from '@x/flow-engine/graph'
import { createScriptedModel } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { hostileString, hostileValue, mutated, type Dice, type FuzzCase } from '../src/index.ts'
import { findFaults, NO_FAULTS } from './find-faults.ts'

const ECHO = new URL('../../../examples/reference-server/flows/echo.json', import.meta.url)
const echo = JSON.parse(readFileSync(ECHO, 'utf8')) as { data: unknown }
/** Ids, names and fields of the flow. */
const IDS = ['ChatInput-in', 'Prompt', 'input_value', 'template', 'Chat Output', '__proto__', '']
const components = createRegistry(builtinComponents)

function make(dice: Dice): FuzzCase {
  const flow = mutated(echo, dice, dice.pick([0.0005, 0.003, 0.02]))
  const tweaks = Object.fromEntries(
    dice.many(() => [dice.pick(IDS), hostileValue(dice)] as const, dice.chance(0.3) ? 3 : 0),
  )
  return { label: 'echo, changed', input: { flow, tweaks, text: hostileString(dice) } }
}

test('FE-10 any flow runs or is refused with a typed problem', { timeout: 900_000 }, async () => {
  const faults = await findFaults({
    title: 'Flows',
    make,
    async run(input) {
      const { flow, tweaks, text } = input as { flow: never; tweaks: never; text: string }
      const services = { models: createScriptedModel(['ok']) }
      try {
        checkFlow(flow, { components })
        const run = runFlow(flow, {
          components,
          input: text,
          services,
          tweaks,
          signal: AbortSignal.timeout(10_000),
        })
        await run.result
      } catch (error) {
        if (!isFlowError(error)) throw error
      }
    },
  })

  expect(faults).toEqual(NO_FAULTS)
})
