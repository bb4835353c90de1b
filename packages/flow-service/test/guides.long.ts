import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { joinSources } from '../../../tools/join-sources.mjs'

const GUIDES = new URL('../../../docs/guides/', import.meta.url)
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Calls what the blocks export, and says what came of it. */
const DRIVER = `
import { builtinComponents } from '@x/flow-components'
import { createBuildJobs, createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { approve } from './approve.ts'
import { answerAll } from './answerAll.ts'
import { everyMorning } from './everyMorning.ts'
import { redraft } from './redraft.ts'

const draft = defineComponent({
  type: 'Draft',
  inputs: {},
  outputs: { text: output.message({ run: () => 'A draft' }) },
})
const review = defineComponent({
  type: 'Review',
  inputs: { text: field.message({ required: true }) },
  outputs: { text: output.message({ run: ({ text }) => text }) },
})
const components = createRegistry([...builtinComponents, approve, draft, review])
const jobs = createBuildJobs({ components })

const asking = flowBuilder()
const offer = asking.add('ChatInput')
const asks = asking.add(approve)
asking.connect(offer + '.message', asks + '.offer')
asking.connect(asks + '.decision', asking.add('ChatOutput') + '.input_value')
const asked = await jobs.start({ flow: asking.toJSON(), input: 'An offer', resumable: true, userId: 'ada' })
while ((await jobs.pending({ userId: 'ada' })).length === 0) await new Promise((go) => setTimeout(go, 10))
await answerAll(jobs, 'ada')
const decided = (await jobs.result(asked.id)).text()

const mail = flowBuilder()
mail.add(draft, { id: 'Draft-1' })
mail.add(review, { id: 'Review-1' })
mail.connect('Draft-1.text', 'Review-1.text')
mail.connect('Review-1.text', mail.add('ChatOutput') + '.input_value')
const redrafted = await redraft(jobs, mail.toJSON())
const unscheduled = await everyMorning(jobs, mail.toJSON())
await jobs.close({ timeoutMs: 0 })
console.log(JSON.stringify({ decided, redrafted, unscheduled }))
`

/** The block of a guide that exports this name. */
async function blockOf(guide: string, name: string): Promise<string> {
  const text = await readFile(new URL(guide, GUIDES), 'utf8')
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const block = blocks.find((code) =>
    new RegExp(`export (?:const|async function) ${name}\\b`).test(code),
  )
  if (block === undefined) throw new Error(`${guide} has no block that exports ${name}`)
  return block
}

/** The same for evaluations, a component that sleeps, and versions. */
const FURTHER = `
import { readFile } from 'node:fs/promises'
import { builtinComponents } from '@x/flow-components'
import { compileFlow, createBuildJobs, createFlow, createRegistry } from '@x/flow-engine'
import { chatInput, chatOutput, languageModel, promptTemplate } from '@x/flow-engine/components'
import { createScriptedModel, createTestRuntime } from '@x/flow-engine/testing'
import { callerOf } from '${PACKAGE}src/services/base/caller.ts'
import { createTestEngine } from '@x/test-kit'
import { evaluate } from './evaluate.ts'
import { answerOf } from './answerOf.ts'
import { traced } from './traced.ts'
import { draft } from './draft.ts'
import { onboard } from './onboard.ts'
import { release } from './release.ts'

function asking() {
  const flow = createFlow('support')
  const prompt = flow.add(promptTemplate, {
    id: 'Prompt-1',
    displayName: 'Prompt',
    values: { template: 'Answer {question} in a {tone} tone, {customer}' },
    fields: { question: '', tone: 'short', customer: 'friend' },
  })
  const model = flow.add(languageModel)
  flow
    .connect(flow.add(chatInput).outputs.message, prompt.input('question'))
    .connect(prompt.outputs.prompt, model.inputs.input_value)
    .connect(model.outputs.text_output, flow.add(chatOutput).inputs.input_value)
  return flow.toJSON()
}
let grade = 1
const textOf = (request) => JSON.stringify(request.messages)
const model = createScriptedModel((request) =>
  textOf(request).includes('polite')
    ? JSON.stringify({ grade, reason: 'as asked' })
    : textOf(request).includes('Hello') ? 'Hello! How can I help?' : 'It was sent today.',
)
const flow = asking()
const first = await evaluate(flow, model, { version: 1, examples: [] })
const evaluation = JSON.parse(await readFile('evaluation.json', 'utf8'))
grade = 0.8
const worse = await evaluate(flow, model, evaluation)
const toned = model.requests.some((request) => textOf(request).includes('in a calm tone'))
const junit = await readFile('junit.xml', 'utf8')

process.env.RECORD = '1'
process.env.MODEL_KEY = 'sk-very-secret'
const recorded = await answerOf(flow, model)
delete process.env.RECORD
const replayed = await answerOf(flow, createScriptedModel([]))

const plan = compileFlow(flow, { components: createRegistry(builtinComponents) })
const chat = createFlow()
chat.connect(chat.add(chatInput).outputs.message, chat.add(chatOutput).inputs.input_value)
const trace = (await traced(compileFlow(chat), 'Hello')).text()
const drafted = await draft(plan, 'Ada')

const mails = []
const answers = async (url, { body }) => (mails.push(body), new Response('', { status: 200 }))
const mail = createFlow('mail')
mail.add(onboard, { id: 'Onboard-1', values: { user: 'ada' } })
const runtime = createTestRuntime()
const jobs = createBuildJobs({ runtime, services: { fetch: answers } })
const { id } = await jobs.start({ flow: mail, resumable: true, outputType: 'debug' })
let job = await jobs.get(id)
for (; job.state !== 'suspended'; job = await jobs.get(id)) await new Promise((go) => setTimeout(go, 5))
const slept = (job.wakeAt - runtime.now()) / 86_400_000
for (; job.state !== 'succeeded'; job = await jobs.get(id)) {
  runtime.advance(86_400_000)
  await new Promise((go) => setTimeout(go, 5))
}
await jobs.close({ timeoutMs: 0 })

const engine = await createTestEngine()
const caller = callerOf(await engine.options.store.users.get(engine.adminId), 'host')
const empty = Object.fromEntries(
  ['description', 'icon', 'iconBgColor', 'gradient', 'endpointName', 'tags', 'actionName', 'actionDescription', 'folderId', 'fsPath'].map((key) => [key, null]),
)
const [made] = await engine.services.flows.create(caller, [
  { ...empty, name: 'Versions', data: JSON.stringify(flow.data), isComponent: false, webhook: false, locked: false, mcpEnabled: false, accessType: 'PRIVATE' },
])
const released = await release(engine, caller, made.id)
const { length: versions } = await engine.services.versions.list(caller, made.id)
await engine.close()
console.log(JSON.stringify({
  first, worse, toned,
  junit: [...junit.matchAll(/<testcase name="([^"]*)"/g)].map(([, name]) => name),
  passed: evaluation.examples.map(({ id, passed }) => [id, passed]),
  recorded, replayed,
  secret: (await readFile('answers.json', 'utf8')).includes('sk-very-secret'),
  trace, prompt: drafted.prompt.text, slept, mails,
  released: released.id === made.id, versions,
}))
process.exit(0)
`

/** The last line that a program prints, which stands beside blocks of guides in a folder of its own. */
async function printedBy(
  blocks: readonly (readonly [guide: string, name: string])[],
  program: string,
): Promise<unknown> {
  const folder = await mkdtemp(join(PACKAGE, '../../node_modules', '.guides-'))
  try {
    for (const [guide, name] of blocks)
      await writeFile(join(folder, `${name}.ts`), await blockOf(guide, name))
    await writeFile(join(folder, 'main.ts'), program)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const joined = join(folder, 'main.js')
    await joinSources(join(folder, 'main.ts'), joined)
    const { stdout } = await promisify(execFile)(process.execPath, [joined], {
      cwd: folder,
      timeout: 100_000,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('DR-90: the code of the guides on durable runs and human in the loop runs as described', async () => {
  const blocks = [
    ['human-in-the-loop.md', 'approve'],
    ['human-in-the-loop.md', 'answerAll'],
    ['durable-runs.md', 'everyMorning'],
    ['durable-runs.md', 'redraft'],
  ] as const
  expect(await printedBy(blocks, DRIVER)).toEqual({
    decided: 'approved',
    redrafted: 'A better draft',
    unscheduled: true,
  })
})

test('DR-90: the code on evaluations, and on components and versions of durable runs, runs as described', async () => {
  const blocks = [
    ['evaluate-flows.md', 'evaluate'],
    ['evaluate-flows.md', 'answerOf'],
    ['evaluate-flows.md', 'traced'],
    ['evaluate-flows.md', 'draft'],
    ['durable-runs.md', 'onboard'],
    ['durable-runs.md', 'release'],
  ] as const
  expect(await printedBy(blocks, FURTHER)).toEqual({
    first: [],
    worse: ['greeting', 'refund'].map((id) => ({ id, scorer: 'polite', before: 1, after: 0.8 })),
    toned: true,
    junit: ['greeting', 'refund'],
    passed: [
      ['greeting', true],
      ['refund', true],
    ],
    recorded: 'Hello! How can I help?',
    replayed: 'Hello! How can I help?',
    secret: false,
    trace: 'Hello',
    prompt: 'Answer Write a mail in a short tone, Ada',
    slept: 3,
    mails: ['ada: Welcome', 'ada: Tips'],
    released: true,
    versions: 1,
  })
})
