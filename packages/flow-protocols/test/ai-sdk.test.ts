import { afterEach, describe, expect, test } from 'vitest'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { closeAll, plain, serveChat } from './chat.ts'
import { agentFlow, echoFlow, failingFlow, modelFlow, questionFlow } from './flows.ts'

afterEach(closeAll)

const answerOf = (messages: readonly UIMessage[]) => messages.at(-1)?.parts

describe('useChat over one flow', () => {
  test('DO-31: text without tokens, with its metadata; the history equals what the client holds', async () => {
    const { chat, history } = await serveChat(echoFlow())
    const page = chat()
    await page.sendMessage({ text: 'hello' })
    expect(page.status).toBe('ready')
    expect(answerOf(page.messages)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'hello', state: 'done' },
    ])
    const { id, metadata } = page.messages[1] ?? {}
    expect(metadata).toMatchObject({ turnId: id, chatId: page.id, durationMs: expect.any(Number) })
    expect(await history(page.id)).toMatchObject({ running: false, messages: plain(page.messages) })
  })

  test('DO-20, DO-33: tokens become one text', async () => {
    const { chat, history } = await serveChat(modelFlow(), [{ chunks: ['w1 ', 'w2 ', 'w3'] }])
    const page = chat()
    await page.sendMessage({ text: 'count' })
    expect(answerOf(page.messages)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'w1 w2 w3', state: 'done' },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-25: what a model thinks comes before its text, and the history has it', async () => {
    const reply = { reasoning: ['Count', ' to two'], chunks: ['w1 ', 'w2'] }
    const { chat, history } = await serveChat(modelFlow(), [reply])
    const page = chat()
    await page.sendMessage({ text: 'count' })
    expect(answerOf(page.messages)).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Count to two', state: 'done' },
      { type: 'text', text: 'w1 w2', state: 'done' },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-25: an agent thinks before each of its calls; its last text alone is the answer', async () => {
    const script = [
      {
        reasoning: ['Who?'],
        text: 'Let me write. ',
        toolCalls: [{ name: 'send', args: { to: 'bob' } }],
      },
      { reasoning: ['It is', ' sent'], text: 'Done' },
    ]
    const { chat, history } = await serveChat(agentFlow(), script)
    const page = chat()
    await page.sendMessage({ text: 'write' })
    expect(answerOf(page.messages)).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Who?', state: 'done' },
      { type: 'dynamic-tool', state: 'output-available' },
      { type: 'reasoning', text: 'It is sent', state: 'done' },
      { type: 'text', text: 'Done', state: 'done' },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
    const mute = await serveChat(modelFlow(), [{ reasoning: ['Hm'], text: 'Hi' }], {
      reasoning: false,
    })
    const other = mute.chat()
    await other.sendMessage({ text: 'hi' })
    expect(answerOf(other.messages)?.map(({ type }) => type)).toEqual(['step-start', 'text'])
    expect((await mute.history(other.id)).messages).toEqual(plain(other.messages))
  })

  test('DO-31: a run that fails is an error of the page', async () => {
    const { chat, history } = await serveChat(failingFlow())
    const page = chat()
    await page.sendMessage({ text: 'x' })
    expect([page.status, page.error?.message]).toEqual(['error', expect.stringContaining('broken')])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-20, DO-22: a tool call with its result', async () => {
    const script = [{ toolCalls: [{ name: 'send', args: { to: 'bob' } }] }, 'Done']
    const { chat, history } = await serveChat(agentFlow(), script)
    const page = chat()
    await page.sendMessage({ text: 'write' })
    expect(answerOf(page.messages)).toMatchObject([
      { type: 'step-start' },
      {
        type: 'dynamic-tool',
        toolName: 'send',
        toolCallId: expect.stringMatching(/^call_[0-9a-f]{16}$/),
        state: 'output-available',
        input: { to: 'bob' },
        output: 'sent to bob',
      },
      { type: 'text', text: 'Done', state: 'done' },
    ])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-40, DO-43: a question is the tool ask_person, and its answer goes on in another step', async () => {
    const { chat, history } = await serveChat(questionFlow())
    const page = chat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
    await page.sendMessage({ text: 'ship it?' })
    const asked = page.lastMessage?.parts.find(({ type }) => type === 'tool-ask_person')
    expect(asked).toMatchObject({ state: 'input-available', input: { prompt: 'ship it?' } })
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
    const { toolCallId } = asked as { toolCallId: string }
    await page.addToolOutput({
      tool: 'ask_person',
      toolCallId,
      output: { action_id: 'approve' },
    })
    await expect
      .poll(() => [page.status, page.lastMessage?.parts.at(-1)?.type])
      .toEqual(['ready', 'text'])
    expect(answerOf(page.messages)).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-ask_person', state: 'output-available', output: { action_id: 'approve' } },
      { type: 'step-start' },
      { type: 'text', text: 'ship it?' },
    ])
    expect(page.messages).toHaveLength(2)
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-21, DO-41: an approval shows the call with its buttons; approved, it runs once', async () => {
    const script = [
      { text: 'Let me write. ', toolCalls: [{ name: 'send', args: { to: 'bob' } }] },
      'Done',
    ]
    const { chat, history } = await serveChat(agentFlow(['approve', 'reject']), script)
    const page = chat({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    await page.sendMessage({ text: 'write' })
    const call = page.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool')
    expect(call).toMatchObject({ state: 'approval-requested', input: { to: 'bob' } })
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
    const { approval } = call as unknown as { approval: { id: string } }
    await page.addToolApprovalResponse({ id: approval.id, approved: true })
    await expect
      .poll(() => [page.status, page.lastMessage?.parts.at(-1)?.type])
      .toEqual(['ready', 'text'])
    const calls = page.lastMessage?.parts.filter(({ type }) => type === 'dynamic-tool')
    expect(calls).toMatchObject([{ state: 'output-available', output: 'sent to bob' }])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-41: a call that is refused has no result', async () => {
    const script = [{ toolCalls: [{ name: 'send', args: { to: 'bob' } }] }, 'As you like']
    const { chat, history } = await serveChat(agentFlow(['approve', 'reject']), script)
    const page = chat({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    await page.sendMessage({ text: 'write' })
    const call = page.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool')
    const { approval } = call as unknown as { approval: { id: string } }
    await page.addToolApprovalResponse({ id: approval.id, approved: false, reason: 'not today' })
    await expect
      .poll(() => [page.status, page.lastMessage?.parts.at(-1)?.type])
      .toEqual(['ready', 'text'])
    const calls = page.lastMessage?.parts.filter(({ type }) => type === 'dynamic-tool')
    expect(calls).toMatchObject([{ state: 'output-denied', approval: { approved: false } }])
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })
})

describe('turns of a chat', () => {
  const slow = [{ chunks: ['w1 ', 'w2 ', 'w3'], chunkDelayMs: 300 }]
  const begun = async (page: { readonly lastMessage: UIMessage | undefined }): Promise<void> => {
    await expect
      .poll(() => JSON.stringify(page.lastMessage?.parts), { interval: 5 })
      .toContain('w1')
  }

  test('DO-19, DO-34: a reader that joins holds the same message at the end', async () => {
    const { chat, history } = await serveChat(modelFlow(), slow)
    const page = chat()
    const sent = page.sendMessage({ text: 'count' })
    await begun(page)
    const told = await history(page.id)
    expect(told).toMatchObject({ running: true, messages: [{ role: 'user' }] })
    const reloaded = chat({ id: page.id, messages: told.messages })
    await reloaded.resumeStream()
    await sent
    expect(plain(reloaded.messages)).toEqual(plain(page.messages))
    await reloaded.resumeStream()
    expect(plain(reloaded.messages)).toEqual(plain(page.messages))
  })

  test('DO-17, DO-18: another message is refused while somebody reads; stop ends the turn', async () => {
    const { chat, url, model } = await serveChat(modelFlow(), () => ({
      chunks: ['w1 ', 'w2 '],
      chunkDelayMs: 60_000,
    }))
    const page = chat()
    const sent = page.sendMessage({ text: 'count' })
    await begun(page)
    const other = chat({ id: page.id })
    await other.sendMessage({ text: 'more' })
    expect(other.error?.message).toBe('This chat is still answering. Stop it first.')
    const answer = await fetch(`${url}/${page.id}/stop`, { method: 'POST' })
    expect(await answer.json()).toEqual({ stopped: true })
    await sent
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: 'w1 ', state: 'done' })
    expect(model.requests[0]?.signal.aborted).toBe(true)
    const again = await fetch(`${url}/${page.id}/stop`, { method: 'POST' })
    expect(await again.json()).toEqual({ stopped: false })
  })

  test('DO-18: a turn that nobody reads is cancelled', async () => {
    const { chat, history, model } = await serveChat(
      modelFlow(),
      () => ({ chunks: ['w1 ', 'w2 '], chunkDelayMs: 60_000 }),
      { unreadMs: 0 },
    )
    const page = chat()
    const sent = page.sendMessage({ text: 'count' })
    await begun(page)
    await page.stop()
    await sent
    await expect.poll(() => model.requests[0]?.signal.aborted).toBe(true)
    await expect.poll(async () => (await history(page.id)).running).toBe(false)
  })

  test('DO-15: a request that is sent again runs nothing again', async () => {
    const { url, chat, history, model } = await serveChat(modelFlow(), ['once'])
    const page = chat()
    await page.sendMessage({ text: 'count' })
    const [message] = page.messages
    const again = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: page.id, messages: [message], trigger: 'submit-message' }),
    })
    expect(await again.text()).toContain('"delta":"once"')
    expect(again.headers.get('x-chat-turn')).toBe(page.lastMessage?.id)
    expect(model.requests).toHaveLength(1)
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
  })

  test('DO-32: an edit removes the turn of its message and all later ones', async () => {
    const { chat, history, model } = await serveChat(modelFlow(), ['one', 'two', 'three'])
    const page = chat()
    await page.sendMessage({ text: 'first' })
    await page.sendMessage({ text: 'second' })
    const [message] = page.messages
    await page.sendMessage({ text: 'edited', messageId: message?.id ?? '' })
    expect(page.messages).toHaveLength(2)
    expect((await history(page.id)).messages).toEqual(plain(page.messages))
    await page.regenerate().catch(() => undefined)
    expect(model.requests).toHaveLength(4)
  })

  test('DO-2, DO-5: a chat is removed, and belongs to its user', async () => {
    const { chat, history, url } = await serveChat(echoFlow(), [], {
      auth: ({ headers }) => ({ userId: headers.get('x-user') ?? 'ada' }),
    })
    const page = chat()
    await page.sendMessage({ text: 'hello' })
    const foreign = await fetch(`${url}/${page.id}`, { headers: { 'x-user': 'eve' } })
    expect(await foreign.json()).toEqual({ id: page.id, messages: [], running: false })
    const removed = await fetch(`${url}/${page.id}`, { method: 'DELETE' })
    expect(removed.status).toBe(204)
    expect((await history(page.id)).messages).toEqual([])
    expect((await fetch(`${url}/${page.id}/stream`)).status).toBe(204)
  })
})

describe('what is refused', () => {
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return [answer.status, answer.headers.get('x-error-code'), await answer.text()] as const
  }
  const user = (parts: unknown) => ({ id: 'c', messages: [{ id: 'u', role: 'user', parts }] })

  test('DO-7, DO-30: the text names the field', async () => {
    const { url } = await serveChat(echoFlow())
    const cases: readonly (readonly [unknown, string])[] = [
      ['{', 'The body is not JSON.'],
      [[], 'The body must be an object'],
      [{ messages: [] }, 'id must be a string'],
      [{ id: '', messages: [] }, 'id must have 1 to 256 characters, without control characters'],
      [{ id: 'c', messages: 1 }, 'messages must be an array'],
      [{ id: 'c', messages: [] }, 'messages must have a message of the user'],
      [user(1), 'messages[0].parts must be an array'],
      [user([{ type: 'text' }]), 'messages[0].parts[0].text must be a string'],
      [
        user([{ type: 'file', mediaType: 'image/png' }]),
        'messages[0].parts[0].url must be a string',
      ],
    ]
    for (const [body, text] of cases)
      expect(await post(url, body)).toEqual([400, 'invalid_request', text])
    expect((await post(url, 'x', { 'content-type': 'text/plain' }))[0]).toBe(415)
    expect((await post(url, user([]), { 'x-ai-sdk': '4' }))[0]).toBe(400)
    const json = await post(url, '{', { accept: 'application/json' })
    expect(JSON.parse(json[2])).toEqual({
      error: { code: 'invalid_request', message: 'The body is not JSON.' },
    })
    expect((await fetch(url)).headers.get('allow')).toBe('POST')
  })

  test('DO-81: missing credentials are 401; with open doors a short id is 400', async () => {
    const closed = await serveChat(echoFlow(), [], {
      auth: { kind: 'token', token: 'a token of some length' },
    })
    expect(await post(closed.url, user([]))).toEqual([
      401,
      'unauthorized',
      'Missing or wrong API key.',
    ])
    const open = await serveChat(echoFlow(), [], { auth: { kind: 'none' } })
    expect((await post(open.url, user([])))[1]).toBe('chat_id_too_short')
  })

  test('DO-42: an answer that does not fit leaves the question open; another one is too late', async () => {
    const { chat, url } = await serveChat(questionFlow())
    const page = chat()
    await page.sendMessage({ text: 'ship it?' })
    const asked = page.lastMessage?.parts.find(({ type }) => type === 'tool-ask_person')
    const { toolCallId: requestId } = asked as { toolCallId: string }
    const answer = (action: string) =>
      post(url, {
        id: page.id,
        messages: [],
        answer: { requestId, decision: { action_id: action } },
      })
    expect(await answer('maybe')).toEqual([
      422,
      'invalid_answer',
      'action_id must be one of approve, reject',
    ])
    expect((await answer('approve'))[0]).toBe(200)
    expect((await answer('approve'))[0]).toBe(200)
    expect(await answer('reject')).toEqual([
      409,
      'question_closed',
      'This question was answered already.',
    ])
  })

  test('DO-80: wrong options are named', async () => {
    const wrong = async (options: object) => serveChat(echoFlow(), [], options)
    await expect(wrong({ unreadMs: -1 })).rejects.toThrow(/unreadMs must be a number/)
    await expect(wrong({ colour: 'red' })).rejects.toThrow(/has no option colour/)
    await expect(wrong({ auth: undefined })).rejects.toThrow(/needs auth/)
    await expect(wrong({ history: 'stored' })).rejects.toThrow(/needs messages/)
  })
})
