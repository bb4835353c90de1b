import {
  compileFlow,
  createMessage,
  createRegistry,
  defineComponent,
  field,
  output,
  type FlowJson,
  type FlowPlan,
} from '@x/flow-engine'
import { chatOutput, conditionalRouter } from '@x/flow-engine/components'
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

const joined = defineComponent({
  type: 'Joined',
  inputs: { value: field.handle({ types: ['Message', 'Data'], list: true }) },
  outputs: { out: output.any({ types: ['Data'], run: ({ value }) => step(value.length) }) },
})

const components = createRegistry([stepComponent, talker, chatOutput, joined, conditionalRouter])

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

/**
 * Routers side by side, each with five nodes on its branches, three that join them, and one that leads into
 * all of these: ten nodes and thirty edges.
 */
export function sideBySide(routers: number): FlowJson {
  const text = JSON.stringify(oneRouter())
  const copies = Array.from(
    { length: routers },
    (_, at) => JSON.parse(text.replaceAll('@', `${at}`)) as FlowJson,
  )
  const nodes = copies.flatMap(({ data }) => data?.nodes ?? [])
  const edges = copies.flatMap(({ data }) => data?.edges ?? [])
  return { name: 'Side by side', data: { nodes, edges } }
}

/** `@` in ids is the number of the copy. */
function oneRouter(): FlowJson {
  const flow = flowBuilder()
  const sides = Array.from({ length: 5 }, (_, index) => `Branch-@-${index}`)
  const joins = ['Join-@-0', 'Join-@-1', 'Join-@-2']
  flow.add(conditionalRouter, { id: 'Router-@', values: { match_text: 'a', input_text: 'a' } })
  for (const id of ['Side-@', ...sides, ...joins]) flow.add(joined, { id })
  for (const id of [...sides, ...joins]) flow.connect('Side-@.out', `${id}.value`)
  for (const [index, id] of sides.entries()) {
    flow.connect(`Router-@.${index % 2 === 0 ? 'true' : 'false'}_result`, `${id}.value`)
    for (const join of joins) flow.connect(`${id}.out`, `${join}.value`)
  }
  return flow
    .connect('Join-@-0.out', 'Join-@-1.value')
    .connect('Join-@-1.out', 'Join-@-2.value')
    .toJSON()
}

/** Routers one after another, each with a node on the branch that is not taken. */
export function routerChain(length: number): unknown {
  const flow = flowBuilder()
  for (let at = 0; at < length; at += 1) {
    const id = `Router-${at}`
    const values = { match_text: 'a', input_text: 'a', true_case_message: 'a' }
    flow.add(conditionalRouter, { id, values })
    flow.add(joined, { id: `Joined-${at}` })
    flow.connect(`${id}.false_result`, `Joined-${at}.value`)
    if (at > 0) flow.connect(`Router-${at - 1}.true_result`, `${id}.input_text`)
  }
  return flow.toJSON()
}

export function compile(flow: unknown): FlowPlan {
  return compileFlow(flow, { components })
}
