/** Compile-only: how a flow with generated types is run, and what does not compile. */
import {
  compileFlow,
  runFlow,
  type BuildJobs,
  type ComponentRegistry,
  type FlowJson,
  type FlowVariables,
  type Message,
  type TypedFlow,
} from '@x/flow-engine'
import { evaluateFlow } from '@x/flow-engine/testing'
import type supportType from './golden/support.json.js'
import type textType from './golden/text.json.js'

declare const support: typeof supportType
declare const text: typeof textType
declare const components: ComponentRegistry
declare const jobs: BuildJobs
declare const untyped: any // oxlint-disable-line typescript/no-explicit-any
const inputs = { 'Prompt Template': { tone: 'calm' } }
const base = { components, input: 'My parcel is late', inputs }

const run = runFlow(support, {
  components,
  input: 'My parcel is late',
  inputs: { 'Prompt Template': { tone: 'calm', sign: 'Us' } },
  tweaks: { 'Language Model': { temperature: 0.2, provider: 'OpenAI' }, stream: true },
  variables: {},
})
export const answer: Message | undefined = (await run.result).output('Chat Output')
runFlow(support, { components, input: 'Late', inputs: { 'Prompt-main': { tone: 'calm' } } })
runFlow(text, { components, sessionId: '' })
const plan = compileFlow(support, { components })
runFlow(plan, { input: 'Late', inputs })
const json: FlowJson = support
runFlow(json, { components, tweaks: { anything: 1 } })
const anyRun = runFlow(untyped, { components, tweaks: { anything: 1 } })
export const value: unknown = (await anyRun.result).output('anything')
await evaluateFlow(support, [{ input: 'Late', inputs }], {}, { components })
await jobs.start({ flow: support, ...base })
export const names = {} satisfies { [Name in FlowVariables<typeof support>]: string }

// @ts-expect-error no such field
runFlow(support, { ...base, tweaks: { 'Language Model': { temprature: 0 } } })
// @ts-expect-error no such node
runFlow(support, { ...base, tweaks: { LanguageModel: { temperature: 0 } } })
// @ts-expect-error a text for a number
runFlow(support, { ...base, tweaks: { 'Language Model': { temperature: 'hot' } } })
// @ts-expect-error not among the options
runFlow(support, { ...base, tweaks: { 'Language Model': { provider: 'Nobody' } } })
// @ts-expect-error an edge feeds it
runFlow(support, { ...base, tweaks: { 'Language Model': { input_value: '' } } })
// @ts-expect-error the input is missing
runFlow(support, { components, inputs })
// @ts-expect-error the tone is missing
runFlow(support, { components, input: '' })
// @ts-expect-error the tone is missing in its node
runFlow(support, { components, input: '', inputs: { 'Prompt Template': {} } })
// @ts-expect-error no options
runFlow(support)
runFlow(support, {
  components,
  input: '',
  // @ts-expect-error an edge feeds the question
  inputs: { 'Prompt Template': { tone: '', question: '' } },
})
// @ts-expect-error no such variable
runFlow(support, { ...base, variables: { OTHER: '' } })
// @ts-expect-error a conversation is read, so each run has a session
runFlow(text, { components })
// @ts-expect-error no such output
void (await runFlow(support, base).result).output('Language Model')
// @ts-expect-error plain JSON has no types
export const typed: TypedFlow = json
// @ts-expect-error the plan knows the types too
runFlow(plan, { inputs })
// @ts-expect-error examples too
await evaluateFlow(support, [{ input: 'Late' }], {}, { components })
// @ts-expect-error jobs too
await jobs.start({ flow: support, components, inputs })
