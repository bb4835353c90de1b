import { describe, expect, test } from 'vitest'
import type { RunEvent } from './run-event.ts'
import { createRunLog } from './run-log.ts'

function logOf(tokens: string, options: { bufferedTokens: number }) {
  const log = createRunLog(options)
  for (const id of tokens) {
    const { nextSeq: seq } = log
    if (id === '|') log.push({ seq, event: 'build_start', data: { id: 'x' } })
    else log.push({ seq, event: 'token', data: { chunk: String(seq), id } })
  }
  return log
}

async function read(reader: AsyncIterator<RunEvent>, count: number) {
  const given: [seq: number, text: string][] = []
  for (let index = 0; index < count; index += 1) {
    const { value } = (await reader.next()) as { value: RunEvent }
    given.push([value.seq, value.event === 'token' ? value.data.chunk : value.event])
  }
  return given
}

describe('tokens that a reader has not read yet (FE-68)', () => {
  test('FE-68: as many tokens as the buffer holds come one by one', async () => {
    expect(await read(logOf('aaa', { bufferedTokens: 3 }).read(), 3)).toEqual([
      [0, '0'],
      [1, '1'],
      [2, '2'],
    ])
  })

  test('FE-68: beyond the buffer, neighbouring tokens of one message are joined, with the number of the last', async () => {
    expect(await read(logOf('aab|bba', { bufferedTokens: 1 }).read(), 5)).toEqual([
      [1, '01'],
      [2, '2'],
      [3, 'build_start'],
      [5, '45'],
      [6, '6'],
    ])
  })

  test('FE-68: a reader that has caught up gets each new token', async () => {
    const log = logOf('aaaa', { bufferedTokens: 2 })
    const reader = log.read()
    expect(await read(reader, 1)).toEqual([[3, '0123']])
    log.push({ seq: 4, event: 'token', data: { chunk: '4', id: 'a' } })
    log.push({ seq: 5, event: 'token', data: { chunk: '5', id: 'a' } })
    expect(await read(reader, 2)).toEqual([
      [4, '4'],
      [5, '5'],
    ])
  })

  /** So many tokens of one message are not kept one by one. */
  const many = 4 * 2 + 64

  test('FE-68: in a long stream the buffered tokens stay separate, so a reader that keeps up gets each', async () => {
    const log = createRunLog({ bufferedTokens: 2 })
    const reader = log.read()
    const given: unknown[] = []
    for (let seq = 0; seq < many; seq += 1) {
      log.push({ seq, event: 'token', data: { chunk: String(seq), id: 'a' } })
      if (seq < many - 2) given.push(...(await read(reader, 1)))
    }
    expect(given).toHaveLength(many - 2)
    expect(await read(reader, 2)).toEqual([
      [many - 2, String(many - 2)],
      [many - 1, String(many - 1)],
    ])
  })

  test('FE-68: a reader in the middle of joined tokens gets the rest, each once', async () => {
    const log = logOf('a'.repeat(10), { bufferedTokens: 2 })
    const reader = log.read()
    await read(reader, 1)
    for (let seq = 10; seq < many; seq += 1) {
      log.push({ seq, event: 'token', data: { chunk: ` ${seq}`, id: 'a' } })
    }
    const rest = Array.from({ length: many - 10 }, (_, index) => ` ${index + 10}`).join('')
    expect(await read(reader, 1)).toEqual([[many - 1, rest]])
  })

  test('FE-68: a reader that has caught up after joined tokens gets each new one', async () => {
    const log = logOf('a'.repeat(many), { bufferedTokens: 2 })
    const reader = log.read()
    expect((await read(reader, 1))[0]?.[0]).toBe(many - 1)
    const next = read(reader, 3)
    for (const chunk of ['x', 'y', 'z']) {
      log.push({ seq: log.nextSeq, event: 'token', data: { chunk, id: 'a' } })
    }
    expect((await next).map(([, text]) => text)).toEqual(['x', 'y', 'z'])
  })

  test('FE-68: no event follows the end, and a reader that leaves stops waiting', async () => {
    const log = createRunLog({ bufferedTokens: 2 })
    const [stays, leaves] = [log.read(), log.read()]
    const waiting = [stays.next(), leaves.next()]
    await leaves.return?.()
    expect(await waiting[1]).toEqual({ done: true, value: undefined })
    log.close()
    log.push({ seq: 0, event: 'build_start', data: { id: 'x' } })
    expect(await waiting[0]).toEqual({ done: true, value: undefined })
    expect(await log.read().next()).toEqual({ done: true, value: undefined })
    expect(log.nextSeq).toBe(0)
  })

  test('FE-68: tokens that stay unread for long are joined, and none is lost', async () => {
    const log = logOf('a'.repeat(many), { bufferedTokens: 2 })
    const reader = log.read()
    const text = Array.from({ length: many }, (_, index) => index).join('')
    let given = ''
    let last = -1
    while (last < many - 1) {
      const [[seq, chunk] = [many, '']] = await read(reader, 1)
      expect(seq).toBeGreaterThan(last)
      last = seq
      given += chunk
    }
    expect(given).toBe(text)
  })
})
