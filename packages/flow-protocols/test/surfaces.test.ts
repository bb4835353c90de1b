import { HttpAgent } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, defineComponent, output, type FlowJson } from '@x/flow-engine'
import { agent, chatInput, chatOutput } from '@x/flow-engine/components'
import { createMemoryServices } from '@x/flow-engine/memory'
import { createScriptedModel, flowBuilder, type ScriptedReply } from '@x/flow-engine/testing'
import { createSurfaceParts } from '@x/surface-protocol/llm'
import { serve } from '@x/test-kit'
import { createA2aHandler } from '../src/a2a.ts'
import { createAgUiHandler } from '../src/ag-ui.ts'
import { closeAll, plain, serveChat } from './chat.ts'
import { components, modelFlow, questionFlow } from './flows.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  await closeAll()
  for (const close of open.splice(0)) await close()
})

const catalogId = 'https://a2ui.org/specification/v0_9/basic_catalog.json'
const create = { version: 'v0.9', createSurface: { surfaceId: 'card', catalogId } }
const update = (text: string) => ({
  version: 'v0.9',
  updateComponents: {
    surfaceId: 'card',
    components: [{ id: 'root', component: 'Text', text }],
  },
})
const tagged = (...messages: object[]) => `<a2ui-json>${JSON.stringify(messages)}</a2ui-json>`
const pieces = (text: string) => text.match(/.{1,7}/gs) ?? []

const say = (text: string): ScriptedReply => ({ chunks: pieces(text) })
const first = say(`Here: ${tagged(create, update('one'))} Done`)
const second = say(tagged(update('two')))
const surfaces = createSurfaceParts()

async function serveDoor(
  make: typeof createAgUiHandler,
  flow: FlowJson,
  script: readonly ScriptedReply[],
) {
  const auth = () => ({ userId: 'ada' })
  const models = createScriptedModel(script)
  const handler = make({ flow, components, auth, models, surfaces })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  return server.url
}

describe('surfaces in answers', () => {
  test('DO-55, DO-56: a page gets each surface whole, also one that a later turn only updates', async () => {
    const { messages } = createMemoryServices()
    const stored = messages === undefined ? {} : { messages }
    const { chat, history } = await serveChat(modelFlow(), [first, second], { surfaces, ...stored })
    const page = chat()
    await page.sendMessage({ text: 'show' })
    expect(page.lastMessage?.parts).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Here:', state: 'done' },
      { type: 'data-a2ui', id: 'card', data: { messages: [create, update('one')] } },
      { type: 'text', text: 'Done', state: 'done' },
    ])
    await page.sendMessage({ text: 'again' })
    expect(page.lastMessage?.parts).toEqual([
      { type: 'step-start' },
      {
        type: 'data-a2ui',
        id: 'card',
        data: { messages: [create, update('one'), update('two')] },
      },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-55: a message that is wrong is reported, and no text', async () => {
    const errors: unknown[] = []
    const wrong = say(`Hm ${tagged({ version: 'v0.9', createSurface: {} })}`)
    const { chat, history } = await serveChat(modelFlow(), [wrong], {
      surfaces,
      onError: (error) => void errors.push(error),
    })
    const page = chat()
    await page.sendMessage({ text: 'show' })
    await history(page.id)
    expect(page.lastMessage?.parts.slice(1)).toMatchObject([{ type: 'text', text: 'Hm' }])
    expect(errors).toHaveLength(1)
  })

  test('DO-55: what a tool returns as operations is a surface', async () => {
    const shows = defineComponent({
      type: 'Shows',
      description: 'Shows a card.',
      inputs: {},
      outputs: { show: output.data({ run: () => ({ a2ui_operations: [create, update('one')] }) }) },
    })
    const flow = flowBuilder('Cards')
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(shows, { id: 'Shows-1', toolMode: true })
    flow.add(agent, { id: 'Agent-1', values: { add_current_date_tool: false } })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow
      .connect('ChatInput-1.message', 'Agent-1.input_value')
      .connect('Shows-1.component_as_tool', 'Agent-1.tools')
      .connect('Agent-1.response', 'ChatOutput-1.input_value')
    const script = [{ toolCalls: [{ name: 'show', args: {} }] }, 'Look']
    const own = createRegistry([chatInput, chatOutput, agent, shows])
    const { chat, history } = await serveChat(flow.toJSON(), script, { surfaces, components: own })
    const page = chat()
    await page.sendMessage({ text: 'show' })
    expect(page.lastMessage?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', state: 'output-available', output: { surfaces: ['card'] } },
      { type: 'data-a2ui', data: { messages: [create, update('one')] } },
      { type: 'text', text: 'Look' },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-56: an action is the input of a new turn, or answers the question whose surface it is', async () => {
    const userAction = { name: 'buy', surfaceId: 'card', context: { n: 2 } }
    const { chat, model } = await serveChat(modelFlow(), ['Bought'], { surfaces })
    const page = chat()
    await page.sendMessage({ parts: [{ type: 'data-a2ui-action', data: { userAction } }] })
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Bought' })
    expect(model.requests[0]?.messages.at(-1)?.content).toBe(JSON.stringify(userAction))

    const asking = await serveChat(questionFlow(), [], { surfaces })
    const other = asking.chat()
    await other.sendMessage({ text: 'ship it?' })
    const [requestId] = other.lastMessage?.parts.flatMap((part) =>
      'toolCallId' in part ? [part.toolCallId] : [],
    ) ?? ['']
    const name = 'answer_question'
    const context = { requestId, actionId: 'approve' }
    await other.sendMessage({
      parts: [{ type: 'data-a2ui-action', data: { userAction: { name, context } } }],
    })
    expect([other.status, other.error]).toEqual(['ready', undefined])
    const shown = (await asking.history(other.id)).messages.at(-1)
    expect(shown).toEqual(plain(other.messages.find(({ id }) => id === shown?.id)))
    expect(shown?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-ask_person', output: { action_id: 'approve' } },
      { type: 'step-start' },
      { type: 'text', text: 'ship it?' },
    ])
  })

  test('DO-56: an AG-UI agent shows an activity for each surface', async () => {
    const url = `${await serveDoor(createAgUiHandler, modelFlow(), [first, second])}/api/ag-ui`
    const one = new HttpAgent({
      url,
      initialMessages: [{ id: 'u1', role: 'user', content: 'show' }],
    })
    const types: string[] = []
    const onEvent = ({ event }: { event: { type: string } }): void => {
      EventSchemas.parse(event)
      types.push(event.type)
    }
    await one.runAgent({}, { onEvent })
    const card = (...list: object[]) => ({
      id: 'a2ui:card',
      role: 'activity',
      activityType: 'a2ui-surface',
      content: { a2ui_operations: list },
    })
    expect(one.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: 'Here:' },
      card(create, update('one')),
      { role: 'assistant', content: 'Done' },
    ])
    expect(types).toContain('ACTIVITY_DELTA')
    one.addMessage({ id: 'u2', role: 'user', content: 'again' })
    await one.runAgent({}, { onEvent })
    expect(one.messages.find(({ role }) => role === 'activity')).toMatchObject(
      card(create, update('one'), update('two')),
    )
  })

  test('DO-56: an A2A client gets data parts when it has activated the extension', async () => {
    const base = await serveDoor(createA2aHandler, modelFlow(), [first, first])
    const url = `${base}/api/a2a/`
    const { uri } = surfaces.extension
    const card = (await (
      await fetch(`${url}.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })
    ).json()) as { capabilities: { extensions: { uri: string }[] } }
    expect(card.capabilities.extensions.map((one) => one.uri)).toEqual([uri])
    const send = async (headers: Record<string, string>) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: {
            message: {
              messageId: headers['a2a-extensions'] ?? 'm',
              role: 'ROLE_USER',
              parts: [{ text: 'x' }],
            },
          },
        }),
      })
      const { result } = (await answer.json()) as {
        result: { task: { artifacts: { artifactId: string; parts: object[] }[] } }
      }
      return { echo: answer.headers.get('a2a-extensions'), artifacts: result.task.artifacts }
    }
    const asked = await send({ 'a2a-extensions': uri })
    expect(asked.echo).toBe(uri)
    expect(asked.artifacts).toMatchObject([
      { artifactId: 'answer-1', parts: [{ text: 'Here:' }] },
      { artifactId: 'answer-2', parts: [{ text: 'Done' }] },
      {
        artifactId: 'a2ui:card',
        parts: [{ data: [create, update('one')], mediaType: 'application/a2ui+json' }],
      },
    ])
    const other = await send({})
    expect(other.echo).toBeNull()
    expect(other.artifacts.map(({ artifactId }) => artifactId)).toEqual(['answer-1', 'answer-2'])
  })
})
