/** Compile-only: what fits in a flow built in code, and what does not compile (DR-78). */
import { agent, chatInput, chatOutput, loop, parser } from '@x/flow-engine/components'
import { openAiModel, splitText } from '@x/flow-components'
import {
  createFlow,
  defineComponent,
  field,
  output,
  runFlow,
  type Component,
  type Data,
  type Message,
} from '@x/flow-engine'

const shout = defineComponent({
  type: 'Shout',
  inputs: {
    text: field.message({ required: true }),
    times: field.int({ default: 1 }),
    tone: field.dropdown({ options: ['loud', 'soft'] }),
    words: field.string({ list: true }),
    rows: field.handle({ types: ['Data', 'DataFrame'] }),
  },
  outputs: {
    result: output.message({ run: ({ text }) => text }),
    facts: output.data({ run: () => ({ ok: true }) }),
    mixed: output.any({ types: ['Data', 'Message'], run: () => 1 }),
    table: output.dataFrame({ types: ['Table'], run: () => [] }),
  },
})

const flow = createFlow('typed')
const input = flow.add(chatInput)
const one = flow.add(shout, {
  id: 'Shout-1',
  values: { times: 2, tone: 'soft', words: ['a', 'b'] },
})
const answer = flow.add(chatOutput, { displayName: 'Answer' })

flow
  .connect(input.outputs.message, one.inputs.text)
  .connect(one.outputs.result, answer.inputs.input_value)
  // One of the types of the output is enough, and other names of a type count (FE-6).
  .connect(one.outputs.mixed, answer.inputs.input_value)
  .connect(one.outputs.table, one.inputs.rows)

// @ts-expect-error -- the field takes messages, the output gives data
flow.connect(one.outputs.facts, one.inputs.text)
// @ts-expect-error -- the field takes rows, the output gives messages
flow.connect(one.outputs.result, one.inputs.rows)
// @ts-expect-error -- the field has no handle
flow.connect(one.outputs.result, input.inputs.input_value)
// @ts-expect-error -- no output of a model or of text is a number
flow.connect(one.outputs.result, one.inputs.times)
// @ts-expect-error -- an edge comes back to outputs of loops only
flow.connect(one.outputs.result, one.outputs.facts)
// @ts-expect-error -- there is no such field
void one.inputs.other
// @ts-expect-error -- there is no such output
void one.outputs.other
// @ts-expect-error -- a count is a number
flow.add(shout, { values: { times: 'twice' } })
// @ts-expect-error -- not one of the options
flow.add(shout, { values: { tone: 'shrill' } })
// @ts-expect-error -- a list
flow.add(shout, { values: { words: 'a' } })
// @ts-expect-error -- there is no such field
flow.add(shout, { values: { colour: 'red' } })

// Outputs and inputs of the built-in components are typed alike, and tools go where tools are taken.
const search = flow.add(shout, { toolMode: true })
const helper = flow.add(agent, { values: { max_iterations: 3 } })
flow.connect(search.outputs.component_as_tool, helper.inputs.tools)
// @ts-expect-error -- a node in tool mode gives its tools alone
void search.outputs.result
// @ts-expect-error -- an agent takes tools there
flow.connect(one.outputs.result, helper.inputs.tools)

const each = flow.add(loop)
const split = flow.add(splitText)
const parsed = flow.add(parser)
flow.connect(split.outputs.dataframe, each.inputs.data)
flow.connect(each.outputs.item, parsed.inputs.input_data)
flow.connect(parsed.outputs.parsed_text, each.outputs.item)

// A component whose types are not known takes and gives anything; `connect` decides.
const any: Component = shout
const some = flow.add(any, { values: { whatever: 1 } })
flow.connect(some.output('result'), one.input('text'))

export async function typedResults(): Promise<void> {
  const result = await runFlow(flow, { input: 'hi' }).result
  result.output(one.outputs.result) satisfies Message | null | undefined
  result.output(one.outputs.facts) satisfies Data | null | undefined
  // @ts-expect-error -- a message is no text
  result.output(one.outputs.result) satisfies string | null | undefined
  // @ts-expect-error -- an output, not a field
  result.output(one.inputs.text)
}

// Components made by a shared definition are typed as well.
const asked = flow.add(openAiModel, { values: { max_retries: 0 } })
const judge = defineComponent({ type: 'Judge', inputs: { by: field.model() }, outputs: {} })
flow.connect(asked.outputs.model_output, flow.add(judge).inputs.by)
// @ts-expect-error -- a model is no text
flow.connect(asked.outputs.model_output, asked.inputs.input_value)
