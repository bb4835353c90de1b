import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { eventLoopTurn } from '@x/wire'
import { deadlinesOf, type Deadline } from './run-deadlines.ts'

function setUp() {
  const runtime = createTestRuntime()
  const exceeded: string[] = []
  const deadlines = deadlinesOf(runtime)
  const start = runtime.now().getTime()
  const add = (name: string, ms: number): Deadline => {
    const deadline = { deadline: start + ms, overdue: () => void exceeded.push(name) }
    deadlines.add(deadline)
    return deadline
  }
  return { runtime, exceeded, deadlines, add }
}

describe('deadlines of runs on one clock (FE-64)', () => {
  test('each fires at its own time, in whatever order they were added', async () => {
    const { runtime, exceeded, add } = setUp()
    add('late', 300)
    add('early', 100)
    add('middle', 200)
    await runtime.advance(99)
    expect(exceeded).toEqual([])
    await runtime.advance(1)
    expect(exceeded).toEqual(['early'])
    await runtime.advance(100)
    expect(exceeded).toEqual(['early', 'middle'])
    await runtime.advance(100)
    expect(exceeded).toEqual(['early', 'middle', 'late'])
  })

  test('a run that ended is not aborted, the others still are', async () => {
    const { runtime, exceeded, deadlines, add } = setUp()
    deadlines.remove(add('ended', 100))
    await eventLoopTurn()
    await eventLoopTurn()
    add('next', 200)
    await runtime.advance(150)
    expect(exceeded).toEqual([])
    await runtime.advance(50)
    expect(exceeded).toEqual(['next'])
  })
})
