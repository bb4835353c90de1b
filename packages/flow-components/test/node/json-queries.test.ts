import { createTestRuntime, type TestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { dataOperations } from '@x/flow-components'
import { createData } from '@x/flow-engine'
import { createJsonQueries, type WorkerJsonQueries } from '../../src/node/json-queries.ts'
import { testComponent } from '@x/flow-engine/testing'

const signal = new AbortController().signal
let queries: WorkerJsonQueries | undefined

function start(runtime: TestRuntime = createTestRuntime()): WorkerJsonQueries {
  queries = createJsonQueries({ runtime })
  return queries
}

/** Turns enough for a question to be on its way to the worker. */
async function underWay(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

afterEach(async () => {
  await queries?.close()
})

describe('createJsonQueries (CO-61)', () => {
  test('returns all results, in the order of the queries', async () => {
    const jq = start()
    const asked = ['.a[]', '-(.a[0])', 'empty'].map((query) =>
      jq.query(query, { a: [1, 2] }, { signal }),
    )
    expect(await Promise.all(asked)).toEqual([[1, 2], [-1], []])
  })

  test('an invalid expression fails with its syntax error, and the next one runs', async () => {
    const jq = start()
    await expect(jq.query('.a | map(', {}, { signal })).rejects.toThrow('syntax error')
    expect(await jq.query('.a', { a: 1 }, { signal })).toEqual([1])
  })

  test('an endless expression is stopped, and the next one runs', async () => {
    const runtime = createTestRuntime()
    const jq = start(runtime)
    const outcome = jq.query('def f: f; f', {}, { signal }).catch((error: unknown) => error)
    await underWay()
    await runtime.advance(5_000)
    expect(await outcome).toMatchObject({ message: 'the expression ran for more than 5000 ms' })
    expect(await jq.query('.a', { a: 1 }, { signal })).toEqual([1])
  })

  test('a cancelled run stops its expression', async () => {
    const jq = start()
    const run = new AbortController()
    const asked = jq.query('def f: f; f', {}, { signal: run.signal })
    const outcome = asked.catch((error: unknown) => error)
    await underWay()
    run.abort(new Error('cancelled'))
    expect(await outcome).toMatchObject({ message: 'cancelled' })
    expect(await jq.query('.a', { a: 1 }, { signal })).toEqual([1])
  })

  test(
    'an expression that exhausts the memory fails, and the next one runs',
    { tags: ['long'] },
    async () => {
      const jq = start()
      await expect(jq.query('def f: [f]; f', {}, { signal })).rejects.toThrow('too much memory')
      expect(await jq.query('.a', { a: 1 }, { signal })).toEqual([1])
    },
  )

  test('runs the queries of the Data Operations component', async () => {
    const { value } = await testComponent(dataOperations, {
      inputs: {
        data: [createData({ a: { b: 1 } })],
        operations: [{ name: 'JQ Expression' }],
        query: '.a',
      },
      services: { jsonQueries: start() },
    })
    expect(value).toMatchObject({ data: { b: 1 } })
  })
})
