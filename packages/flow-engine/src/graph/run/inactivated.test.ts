import { expect, test } from 'vitest'
import type { CheckedRun } from '../context/checked-run.ts'
import type { Decision } from '../schedule/decision.ts'
import type { Task } from '../schedule/task.ts'
import type { TaskResult } from '../vertex/task-build.ts'
import { InactivatedVertices } from './inactivated.ts'

const NOTHING = new Set<string>()
const excludes: Decision = { stopped: NOTHING, excluded: new Set(['f']), dead: new Set(['f']) }
const decides = { decision: excludes, branches: ['f'] } as unknown as TaskResult
const taskOf = (index: number) => ({ vertex: { index }, scope: {} }) as Task

/** A flow of 1,000 vertices, and how many of them were named. */
function watched(cutBehind: (task: Task) => readonly number[]) {
  let named = 0
  const vertices = Array.from({ length: 1000 }, (_, index) => ({
    incoming: [],
    get id() {
      named += 1
      return `V${index}`
    },
  }))
  const run = { graph: { vertices } } as unknown as CheckedRun
  return { inactivated: new InactivatedVertices(run, { cutBehind }), named: () => named }
}

test('FF-12: the vertices that many routers excluded are listed only for ends that are read', () => {
  const { inactivated, named } = watched(({ vertex }) => [vertex.index + 500])
  const ends = Array.from({ length: 400 }, (_, at) => inactivated.after(taskOf(at), decides))
  expect(named()).toBe(0)
  expect(ends[2]?.()).toEqual(['V500', 'V501', 'V502'])
  expect(named()).toBe(3)
})

test('FF-9: an end that is read later lists what was excluded when it was sent', () => {
  const cuts = [[7, 5], [6], [9]]
  const { inactivated } = watched(() => cuts.shift() ?? [])
  const first = inactivated.after(taskOf(1), decides)
  const second = inactivated.after(taskOf(2), decides)
  const again = inactivated.after(taskOf(1), decides)
  const none = inactivated.after(taskOf(2), decides)
  expect(first()).toEqual(['V5', 'V7'])
  expect(second()).toEqual(['V5', 'V6', 'V7'])
  expect(again()).toEqual(['V6', 'V9'])
  expect(none()).toEqual(['V9'])
  expect(inactivated.excluded()()).toEqual(['V9'])
})
