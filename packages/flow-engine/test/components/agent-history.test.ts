import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { agent, chatOutput } from '@x/flow-engine/components'
import type { MessageRecord } from '../../src/components/define/services.ts'
import { createMemoryServices } from '@x/flow-engine/memory'
import { createRegistry, runFlow } from '@x/flow-engine'
import type { ChatChunk } from '@x/flow-engine'
import { createScriptedModel, flowBuilder, testComponent } from '@x/flow-engine/testing'
import { messageRow as row } from './message-row.ts'

/** The model's messages after the instructions and before the question. */
async function historyOf(messages: MessageRecord[], inputs: Record<string, unknown> = {}) {
  const model = createScriptedModel(['fine'])
  await testComponent(agent, {
    output: 'response',
    sessionId: 's',
    services: { ...createMemoryServices({ messages }), models: model },
    inputs: { input_value: 'Now?', add_current_date_tool: false, system_prompt: '', ...inputs },
  })
  return model.requests[0]?.messages.slice(0, -1).map(({ role, content }) => [role, content])
}

describe('the history of an Agent (CO-35, FE-52)', () => {
  test('FE-52, CO-35: contains the rows of its session in order, those of the machine as assistant', async () => {
    const rows = [
      row(2, { sender: 'Machine' }),
      row(1, {}),
      row(3, { sessionId: 'other' }),
      row(4, { error: true }),
    ]
    expect(await historyOf(rows)).toEqual([
      ['user', 't1'],
      ['assistant', 't2'],
    ])
  })

  test('CO-35: with a context id contains only the rows of that context', async () => {
    const rows = [row(1, { contextId: 'c' }), row(2, { contextId: 'd' }), row(3, {})]
    expect(await historyOf(rows, { context_id: 'c' })).toEqual([['user', 't1']])
    expect(await historyOf(rows)).toHaveLength(3)
  })

  test('FE-52, CO-35: contains the last n_messages, 100 by default, none for 0', async () => {
    const rows = Array.from({ length: 110 }, (_, index) => row(index + 1, {}))
    const texts = (await historyOf(rows))?.map(([, text]) => text)
    expect([texts?.length, texts?.[0], texts?.at(-1)]).toEqual([100, 't11', 't110'])
    expect(await historyOf(rows, { n_messages: 2 })).toEqual([
      ['user', 't109'],
      ['user', 't110'],
    ])
    expect(await historyOf(rows, { n_messages: 0 })).toEqual([])
  })
})

describe('the limits of an Agent (FE-52)', () => {
  test('FE-52: it stops after 15 answers by default', async () => {
    const calls = { toolCalls: [{ name: 'none', args: {} }] }
    const model = createScriptedModel(() => calls)
    const { value } = await testComponent(agent, {
      output: 'response',
      services: { models: model },
      inputs: { input_value: 'Go' },
    })
    expect(model.requests).toHaveLength(15)
    expect(value).toMatchObject({ text: 'Agent stopped due to max iterations.' })
  })

  test('FE-52: a cancelled agent ignores a tool result that arrives afterwards', async () => {
    const stop = new AbortController()
    const tool = {
      name: 'stops',
      description: '',
      parameters: { type: 'object', properties: {} },
      call: () => {
        stop.abort(new Error('enough'))
        return Promise.reject(new Error('broken off'))
      },
    }
    const model = createScriptedModel([{ toolCalls: [{ name: 'stops', args: {} }] }, 'too late'])
    const asked = testComponent(agent, {
      output: 'response',
      signal: stop.signal,
      runtime: createTestRuntime(),
      services: { models: model },
      inputs: { input_value: 'Go', tools: [tool] },
    })
    await expect(asked).rejects.toThrow('enough')
    expect(model.requests).toHaveLength(1)
  })
  test('FE-52, FE-60, CO-35: a cancelled agent keeps the text it has streamed, including blanks that were not tokens; without text no message is left', async () => {
    for (const chunks of [['some ', 'text'], ['\n\n', 'some', ' ', 'text', '\n', '.'], [], [' ']]) {
      const services = createMemoryServices()
      const model = {
        async *stream(): AsyncGenerator<ChatChunk> {
          for (const text of chunks) yield { text }
          await new Promise(() => undefined)
        },
      }
      const flow = flowBuilder()
      flow.add(agent, { id: 'Agent-1', values: { input_value: 'Go' } })
      flow.add(chatOutput, { id: 'ChatOutput-1' })
      flow.connect('Agent-1.response', 'ChatOutput-1.input_value')
      const run = runFlow(flow.toJSON(), {
        components: createRegistry([agent, chatOutput]),
        services: { ...services, models: model },
        sessionId: 's',
      })
      const tokens: string[] = []
      const shown = chunks.filter((chunk) => chunk.trim() !== '')
      let seen = 0
      for await (const { event, data } of run) {
        // Two messages come before the first text: the empty one, and the one with the question.
        if (event === 'token' || event === 'add_message') seen += 1
        if (event === 'token') tokens.push(data.chunk)
        if (seen !== 2 + shown.length) continue
        // The text that came last is on its way to the row: a few turns bring it there.
        for (let turn = 0; turn < 5; turn += 1)
          await new Promise((resolve) => setImmediate(resolve))
        run.cancel()
      }
      expect(tokens).toEqual(shown)
      const rows = (await services.messages?.list({})) ?? []
      expect(rows.map(({ text, properties }) => [text, properties])).toMatchObject(
        shown.length === 0 ? [] : [[chunks.join(''), { state: 'partial' }]],
      )
    }
  })
})
