import { readFileSync } from 'node:fs'
import { builtinComponents } from '@x/flow-components'
import { checkFlow, createRegistry, isFlowError, runFlow } from '@x/flow-engine'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { hostileString, hostileValue, mutated, type Dice, type FuzzCase } from '../src/index.ts'
import { findFaults, NO_FAULTS } from './find-faults.ts'

const ECHO = new URL('../../../examples/reference-server/flows/echo.json', import.meta.url)
const echo = JSON.parse(readFileSync(ECHO, 'utf8')) as { data: unknown }
/** A flow as versions 1.8 to 1.13 write it: types of extensions, a picker, routes, double braces. */
function newerFlow(): unknown {
  const flow = flowBuilder('Newer', { components: builtinComponents })
  const input = flow.add('ChatInput', { id: 'ext:io:ChatInput@official-in' })
  const prompt = flow.add('Prompt Template', { values: { template: '{{q}} {x}', q: '' } })
  const router = flow.add('SmartRouter', { values: { input_text: 'so nice' } })
  const changes = flow.add('Operations', { values: { operation: [{ name: 'Text Join' }] } })
  flow.connect(`${input}.message`, `${prompt}.q`)
  flow.connect(`${prompt}.prompt`, `${changes}.text_input`)
  flow.connect(`${changes}.message_output`, `${router}.input_text`)
  flow.connect(`${router}.category_1_result`, `${flow.add('ChatOutput')}.input_value`)
  flow.connect(`${flow.add('Listen', { values: { context_key: 'k' } })}.data`, `${changes}.data`)
  flow.add('Notify', { values: { context_key: 'k' } })
  const json = flow.toJSON()
  const types = new Map([
    ['Operations', 'lfx.components.processing.operations.OperationsComponent'],
    ['SmartRouter', 'LLMRouterComponent'],
  ])
  for (const { data } of json.data?.nodes ?? []) {
    data.type = types.get(data.type) ?? data.type
    const { template } = data.node
    template['use_double_brackets'] = { type: 'bool', value: true }
    template['model'] = {
      type: 'model',
      _input_type: 'ModelInput',
      value: [{ name: 'm', provider: 'OpenAI', metadata: { reasoning_models: ['m'] } }],
    }
    template['later'] = { type: 'dbProvider', value: { backend_type: 'x' } }
  }
  return json
}
const newer = newerFlow()
/** Ids, names and fields of the flow. */
const IDS = [
  'ChatInput-in',
  'Prompt',
  'model',
  'routes',
  'operation',
  'input_value',
  'template',
  'Chat Output',
  '__proto__',
  '',
]
const components = createRegistry(builtinComponents)

function make(dice: Dice): FuzzCase {
  const isNewer = dice.chance(0.5)
  const flow = mutated(isNewer ? newer : echo, dice, dice.pick([0.0005, 0.003, 0.02]))
  const tweaks = Object.fromEntries(
    dice.many(() => [dice.pick(IDS), hostileValue(dice)] as const, dice.chance(0.3) ? 3 : 0),
  )
  return {
    label: isNewer ? 'newer file, changed' : 'echo, changed',
    input: { flow, tweaks, text: hostileString(dice) },
  }
}

test(
  'FE-10, NX-51: every flow runs or is refused with a typed error',
  { timeout: 900_000 },
  async () => {
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
  },
)
