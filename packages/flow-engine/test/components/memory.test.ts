import { describe, expect, test } from 'vitest'
import { memory } from '@x/flow-engine/components'
import type { DataFrame } from '../../src/graph/values/data-frame.ts'
import type { Message } from '../../src/graph/values/message.ts'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'
import { messageRow as row } from './message-row.ts'

const machine = { sender: 'Machine', senderName: 'AI' }
const rows = [
  row(1),
  row(2, machine),
  row(3, { contextId: 'c' }),
  row(4, { sessionId: 'other' }),
  row(5, { error: true }),
]

const use = async (output: string, inputs: object, options: object = {}) =>
  testComponent(memory, {
    output,
    inputs: { ...inputs },
    sessionId: 's',
    services: createMemoryServices({ messages: rows }),
    ...options,
  })
const read = async (inputs: object = {}, options: object = {}): Promise<unknown> =>
  ((await use('messages_text', inputs, options)).value as Message).text

describe('Memory, mode Retrieve (CO-41)', () => {
  test('CO-41: returns a line for each message of the session, without errors', async () => {
    expect(await read()).toBe('Ann: t1\nAI: t2\nAnn: t3')
    expect(await read({ session_id: 'other' })).toBe('Ann: t4')
    expect(await read({ session_id: 'none' })).toBe('')
  })

  test('CO-41: outside of a run an empty session means all sessions', async () => {
    expect(await read({}, { sessionId: '' })).toBe('Ann: t1\nAI: t2\nAnn: t3\nAnn: t4')
  })

  test('CO-41: context, sender and name filter the rows', async () => {
    expect(await read({ context_id: 'c' })).toBe('Ann: t3')
    expect(await read({ sender_type: 'Machine' })).toBe('AI: t2')
    expect(await read({ sender_type: 'User' })).toBe('Ann: t1\nAnn: t3')
    expect(await read({ sender_name: 'AI' })).toBe('AI: t2')
  })

  test('CO-41: rows are ordered first, then the last n are taken', async () => {
    expect(await read({ n_messages: 2 })).toBe('AI: t2\nAnn: t3')
    expect(await read({ n_messages: 2, order: 'Descending' })).toBe('AI: t2\nAnn: t1')
    expect(await read({ n_messages: 0 })).toBe('')
  })

  test('CO-41: the template accepts any field, unknown ones are empty', async () => {
    const template = '<{sender}|{session_id}|{error}|{toString}|{none}>'
    expect(await read({ template, n_messages: 1 })).toBe('<User|s|False||>')
  })

  test('CO-41: the table has the rows with all fields', async () => {
    const { value } = await use('dataframe', { n_messages: 1 })
    expect((value as DataFrame).rows).toMatchObject([
      { text: 't3', sender: 'User', sender_name: 'Ann', session_id: 's' },
    ])
  })

  test('CO-41: an external store is used instead; an invalid one is refused', async () => {
    const { messages } = createMemoryServices({ messages: [row(9)] })
    expect(await read({ memory: messages })).toBe('Ann: t9')
    await expect(read({ memory: { list: 1 } })).rejects.toThrow('can neither list nor add')
  })
})

describe('Memory, mode Store (CO-41)', () => {
  test('CO-41: sender and name have defaults; the first message of that session, sender and name is returned', async () => {
    const services = createMemoryServices({ messages: [row(2, machine)] })
    const inputs = { message: 'new', context_id: '' }
    const { value } = await use('stored_messages', inputs, { services })
    expect(value).toMatchObject({ text: 't2', sender: 'Machine', senderName: 'AI' })
    const stored = await services.messages?.list({ order: 'ascending' })
    expect(
      stored?.map(({ text, sender, senderName, sessionId }) => [
        text,
        sender,
        senderName,
        sessionId,
      ]),
    ).toEqual([
      ['t2', 'Machine', 'AI', 's'],
      ['new', 'Machine', 'AI', 's'],
    ])
  })

  test('CO-41: uses its own session, sender and context', async () => {
    const own = { session_id: 'x', sender: 'User', sender_name: 'Bob', context_id: 'c' }
    const { value } = await use('stored_messages', { message: 'new', ...own })
    expect(value).toMatchObject({
      text: 'new',
      sessionId: 'x',
      sender: 'User',
      senderName: 'Bob',
      contextId: 'c',
    })
  })

  test('CO-41: an external store receives the message instead', async () => {
    const [own, external] = [createMemoryServices(), createMemoryServices()]
    const inputs = { message: 'new', memory: external.messages }
    await use('stored_messages', inputs, { services: own })
    expect(await own.messages?.list({})).toEqual([])
    expect(await external.messages?.list({})).toMatchObject([{ text: 'new' }])
  })

  test('CO-41, CO-14: without a session the message is not stored', async () => {
    const services = createMemoryServices()
    const { value } = await use('stored_messages', { message: 'new' }, { services, sessionId: '' })
    expect(value).toMatchObject({ text: 'new', sender: 'Machine', senderName: 'AI' })
    expect(await services.messages?.list({})).toEqual([])
  })
})
