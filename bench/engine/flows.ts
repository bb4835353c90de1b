import {
  compileFlow,
  createMessage,
  createRegistry,
  defineComponent,
  field,
  output,
  type FlowPlan,
} from '@x/flow-engine'
import { chatOutput } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'

/** The trivial node of all cases: an async function of one value. */
export const step = async (value: unknown): Promise<number> =>
  typeof value === 'number' ? value + 1 : 0

const stepComponent = defineComponent({
  type: 'Step',
  inputs: { value: field.handle({ types: ['Data'] }) },
  outputs: { out: output.any({ types: ['Data'], run: ({ value }) => step(value) }) },
})

export const TOKENS = 20_000

/** The stream of the token case. */
export async function* tokens(): AsyncGenerator<string> {
  for (let index = 0; index < TOKENS; index += 1) yield 'token '
}

const talker = defineComponent({
  type: 'Talker',
  inputs: {},
  outputs: { out: output.message({ run: () => createMessage(tokens()) }) },
})

const components = createRegistry([stepComponent, talker, chatOutput])

export function chain(length: number): unknown {
  const flow = flowBuilder()
  for (let index = 0; index < length; index += 1) {
    flow.add(stepComponent, { id: `Step-${index}` })
    if (index > 0) flow.connect(`Step-${index - 1}.out`, `Step-${index}.value`)
  }
  return flow.toJSON()
}

export function fanOut(width: number): unknown {
  const flow = flowBuilder()
  flow.add(stepComponent, { id: 'Step-first' })
  flow.add(stepComponent, { id: 'Step-last' })
  for (let index = 0; index < width; index += 1) {
    flow.add(stepComponent, { id: `Step-${index}` })
    flow.connect('Step-first.out', `Step-${index}.value`)
    flow.connect(`Step-${index}.out`, 'Step-last.value')
  }
  return flow.toJSON()
}

export function talk(): unknown {
  const flow = flowBuilder()
  flow.add(talker, { id: 'Talker-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('Talker-1.out', 'ChatOutput-1.input_value').toJSON()
}

export function compile(flow: unknown): FlowPlan {
  return compileFlow(flow, { components })
}
