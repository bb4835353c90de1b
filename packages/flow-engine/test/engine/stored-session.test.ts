import { describe, expect, test } from 'vitest'
import { formatRunResponse } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { memory } from '../../src/components/built-in/models-and-agents/memory.ts'
import { createMemoryServices } from '@x/flow-engine/memory'
import { messageRow } from '../components/message-row.ts'
import { join, run } from './dependencies.ts'

type Given = NonNullable<Parameters<typeof run>[1]>

/** Reads one message of the session that Message History names. */
async function historyOf(session: string, given: Given = {}, isVariable = false) {
  const rows = ['kept', 'asked', 'flow', 'tweaked'].map((sessionId, at) =>
    messageRow(at, { sessionId, text: `of ${sessionId}` }),
  )
  const flow = flowBuilder()
  flow.add(memory, { id: 'Memory-1', values: { session_id: session } })
  flow.add(join, { id: 'Join-1' })
  flow.connect('Memory-1.messages_text', 'Join-1.texts')
  const json = flow.toJSON()
  const template = json.data?.nodes?.find(({ id }) => id === 'Memory-1')?.data.node.template
  if (isVariable) Object.assign(template?.session_id ?? {}, { load_from_db: true })
  const options = {
    flowId: 'flow',
    services: createMemoryServices({ messages: rows }),
    ...given,
    more: [memory],
  }
  const { result } = await run(json, options)
  const warnings = result.warnings.filter(({ code }) => code === 'session_replaced')
  return { text: result.text('Join-1')?.replace('Ann: ', ''), warnings, result }
}

describe('FF-94: a session stored in Message History', () => {
  test('FF-94: it is used when the request gives none', async () => {
    expect(await historyOf('kept')).toMatchObject({ text: 'of kept', warnings: [] })
    expect(await historyOf('kept', { sessionId: '' })).toMatchObject({ text: 'of kept' })
    expect(await historyOf('')).toMatchObject({ text: 'of flow', warnings: [] })
    const variables = { SESSION: 'kept' }
    expect(await historyOf('SESSION', { variables }, true)).toMatchObject({ text: 'of kept' })
  })

  test('FF-94: the session of the request replaces it, with a warning', async () => {
    const { text, warnings, result } = await historyOf('kept', { sessionId: 'asked' })
    expect(text).toBe('of asked')
    const place = { code: 'session_replaced', nodeId: 'Memory-1', field: 'session_id' }
    expect(warnings).toMatchObject([place])
    expect(formatRunResponse(result).warnings).toMatchObject([
      { code: 'session_replaced', component_id: 'Memory-1' },
    ])
    expect((await historyOf('asked', { sessionId: 'asked' })).warnings).toEqual([])
    expect((await historyOf('', { sessionId: 'asked' })).warnings).toEqual([])
  })

  test('FF-94: a tweak of it wins over both', async () => {
    const tweaks = { 'Memory-1': { session_id: 'tweaked' } }
    expect(await historyOf('kept', { tweaks })).toMatchObject({ text: 'of tweaked', warnings: [] })
    const given = { tweaks, sessionId: 'asked' }
    expect(await historyOf('kept', given)).toMatchObject({ text: 'of tweaked', warnings: [] })
  })

  test('FE-22, FF-94: builds use the stored session, also that of a variable', async () => {
    const given = { mode: 'build', sessionId: 'asked', variables: { SESSION: 'kept' } } as const
    expect(await historyOf('kept', given)).toMatchObject({ text: 'of kept', warnings: [] })
    expect(await historyOf('SESSION', given, true)).toMatchObject({ text: 'of kept' })
  })
})
