import { afterEach, describe, expect, test } from 'vitest'
import { agent, chatInput, chatOutput } from '@x/flow-engine/components'
import {
  createRegistry,
  defineComponent,
  field,
  output,
  type ComponentContext,
  runFlow,
  type RunEvent,
} from '@x/flow-engine'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import {
  collectEvents,
  createScriptedModel,
  flowBuilder,
  type ScriptedReply,
} from '@x/flow-engine/testing'
import { state, closeAll, closeLater } from './asking.ts'

afterEach(closeAll)

type Call = (to: string, ctx: ComponentContext) => Promise<string>

/** An agent with a tool `send`, which notes whom it was called for. */
function agentWith(
  script: readonly ScriptedReply[],
  {
    actions = ['approve', 'edit', 'reject', 'respond'],
    call = async () => 'sent',
  }: { readonly actions?: readonly string[]; readonly call?: Call } = {},
) {
  const sent: string[] = []
  const send = defineComponent({
    type: 'Send',
    description: 'Sends a mail.',
    inputs: { to: field.text({ toolMode: true, required: true }) },
    outputs: {
      send: output.message({
        run: async ({ to }, ctx) => {
          const result = await call(to, ctx)
          sent.push(to)
          return result
        },
      }),
    },
  })
  const flow = flowBuilder()
  const input = flow.add(chatInput)
  const tool = flow.add(send, { id: 'Send-1', toolMode: true })
  const asks = flow.add(agent, { id: 'Agent-1', values: { add_current_date_tool: false } })
  flow.connect(`${input}.message`, `${asks}.input_value`)
  flow.connect(`${tool}.component_as_tool`, `${asks}.tools`)
  flow.connect(`${asks}.response`, `${flow.add(chatOutput)}.input_value`)
  const json = flow.toJSON()
  const metadata = json.data?.nodes?.find(({ id }) => id === tool)?.data.node.template
    .tools_metadata
  for (const row of (metadata?.value ?? []) as Record<string, unknown>[])
    row.approval_actions = actions
  const model = createScriptedModel(script)
  const components = createRegistry([chatInput, chatOutput, agent, send])
  const store = createMemoryJobStore()
  const process = (options: BuildJobsOptions = {}): BuildJobs => {
    const jobs = createBuildJobs({ components, store, services: { models: model }, ...options })
    closeLater(jobs)
    return jobs
  }
  const start = (jobs: BuildJobs) =>
    jobs.start({ flow: json, resumable: true, input: 'Write to Ada', sessionId: 'talk' })
  const run = () =>
    runFlow(json, { components, services: { models: model }, input: 'Write to Ada' })
  return { sent, model, process, start, run }
}

const toSend = (...names: readonly string[]): ScriptedReply => ({
  text: 'Let me write. ',
  toolCalls: names.map((to) => ({ name: 'send', args: { to } })),
})

async function question(jobs: BuildJobs, id: string) {
  await state(jobs, id, 'suspended')
  const [found] = await jobs.pending()
  if (found === undefined) throw new Error('No question')
  return found
}

const toolAnswers = (model: ReturnType<typeof createScriptedModel>, request: number) =>
  model.requests[request]?.messages.flatMap(({ role, content }) =>
    role === 'tool' ? [content] : [],
  )

describe('tool call approval', () => {
  test('DR-40: the question names the tool and its arguments; approve calls it once', async () => {
    const { sent, model, process, start } = agentWith([toSend('ada'), 'Done'])
    const jobs = process()
    const { id } = await start(jobs)
    expect(await question(jobs, id)).toMatchObject({
      vertexId: 'Agent-1',
      sessionId: 'talk',
      kind: 'tool_approval',
      prompt: 'Approve tool call: send',
      allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
      actionRequests: [{ name: 'send', args: { to: 'ada' }, description: 'Sends a mail.' }],
    })
    expect(sent).toEqual([])
    await jobs.resume(id, { action_id: 'approve' })
    expect((await jobs.result(id)).text()).toBe('Done')
    expect(sent).toEqual(['ada'])
    expect(model.requests).toHaveLength(2)
    expect(toolAnswers(model, 1)).toEqual(['sent'])
  })

  test('DR-40: edit calls the tool with other arguments; reject and respond answer the model instead', async () => {
    const answers = [
      [{ action_id: 'edit', values: { args: { to: 'bob' } } }, ['bob'], 'sent'],
      [{ action_id: 'reject' }, [], 'The call was rejected'],
      [{ action_id: 'reject', values: { message: 'Not on Sundays' } }, [], 'Not on Sundays'],
      [{ action_id: 'respond', values: { message: 'It is sent' } }, [], 'It is sent'],
    ] as const
    for (const [answer, called, told] of answers) {
      const { sent, model, process, start } = agentWith([toSend('ada'), 'Done'])
      const jobs = process()
      const { id } = await start(jobs)
      await question(jobs, id)
      await jobs.resume(id, answer)
      expect((await jobs.result(id)).status).toBe('succeeded')
      expect(sent).toEqual(called)
      expect(toolAnswers(model, 1)).toEqual([told])
      expect(model.requests).toHaveLength(2)
    }
  })

  test('DR-40: an edit without arguments and a response without a text are refused', async () => {
    const { sent, process, start } = agentWith([toSend('ada'), 'Done'])
    const jobs = process()
    const { id } = await start(jobs)
    await question(jobs, id)
    for (const [action, path] of [
      ['edit', 'values.args'],
      ['respond', 'values.message'],
    ])
      await expect(jobs.resume(id, { action_id: action })).rejects.toMatchObject({
        code: 'invalid_answer',
        problems: [{ path }],
      })
    expect((await jobs.get(id))?.state).toBe('suspended')
    expect(sent).toEqual([])
  })

  test('DR-40: parallel calls are asked for one by one, across restarts, and none is repeated', async () => {
    const script = [toSend('ada', 'bob', 'cy'), toSend('dan'), 'Done']
    const { sent, model, process, start } = agentWith(script)
    let jobs = process()
    const { id } = await start(jobs)
    const asked: unknown[] = []
    for (const action of ['approve', 'reject', 'approve', 'approve']) {
      const { actionRequests, requestId } = await question(jobs, id)
      asked.push(actionRequests?.[0]?.args)
      await jobs.close()
      jobs = process()
      await jobs.recover()
      await jobs.resume(id, { action_id: action }, { requestId })
    }
    const events = await collectEvents(jobs.events(id))
    expect(asked).toEqual([{ to: 'ada' }, { to: 'bob' }, { to: 'cy' }, { to: 'dan' }])
    expect(sent).toEqual(['ada', 'cy', 'dan'])
    expect(model.requests).toHaveLength(3)
    expect(toolAnswers(model, 1)).toEqual(['sent', 'The call was rejected', 'sent'])
    expect(shownText(events)).toBe('Done')
    expect(events.filter(({ event }) => event === 'suspended')).toHaveLength(4)
  })

  test('DR-40: a tool that asks on its own asks again in each call', async () => {
    const call: Call = async (to, ctx) => {
      await ctx.step('draft', () => drafts.push(to))
      return `${String(await ctx.suspend(`Really ${to}?`))} to ${to}`
    }
    const drafts: string[] = []
    const script = [toSend('ada', 'bob'), toSend('cy'), 'Done']
    const { sent, model, process, start } = agentWith(script, { actions: [], call })
    const jobs = process()
    const { id } = await start(jobs)
    const asked: unknown[] = []
    for (const answer of ['one', 'two', 'three']) {
      const { question: text } = await question(jobs, id)
      asked.push(text)
      await jobs.resume(id, answer)
      await expect.poll(async () => (await jobs.get(id))?.question?.question).not.toBe(text)
    }
    await jobs.result(id)
    expect(asked).toEqual(['Really ada?', 'Really bob?', 'Really cy?'])
    expect(toolAnswers(model, 1)).toEqual(['one to ada', 'two to bob'])
    expect(toolAnswers(model, 2)?.at(-1)).toBe('three to cy')
    expect(sent).toEqual(['ada', 'bob', 'cy'])
    expect(drafts).toEqual(['ada', 'bob', 'cy'])
    expect(model.requests).toHaveLength(3)
  })

  test('DR-40, DR-45: a tool is not called when no one can be asked', async () => {
    const { sent, run } = agentWith([toSend('ada')])
    const result = await run().result
    expect(result).toMatchObject({ status: 'failed', error: { code: 'not_resumable' } })
    expect(sent).toEqual([])
  })
})

/** The text of the last message that was shown. */
function shownText(events: readonly RunEvent[]): string | undefined {
  const last = events.findLast(({ event }) => event === 'add_message')
  return last?.event === 'add_message' ? last.data.text : undefined
}
