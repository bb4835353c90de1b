import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { checkFlow, compileFlow, createRegistry, FlowCompileError, runFlow } from '@x/flow-engine'
import { chatInput } from '@x/flow-engine/components'
import { chatOutput } from '@x/flow-engine/components'
import { loop } from '@x/flow-engine/components'
import { createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { flowNames, readFlow } from '../../../flow-engine/test/flows/golden.ts'
import { join, library, words } from '../../../flow-engine/test/engine/dependencies.ts'

const components = createRegistry([...builtinComponents, ...library])

/** Small numbers from a seed, the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

const ODD: readonly unknown[] = [
  null,
  undefined,
  0,
  -1,
  1e300,
  '',
  'œ',
  '{œ',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  true,
  { toString: 1 },
  { __proto__: null },
  'ChatInput',
  'Message',
  { data: { nodes: 1 } },
  ['x', 7, null],
]

/** The same flow with a few values anywhere in it replaced, removed or doubled. */
function mutated(flow: unknown, below: (count: number) => number): unknown {
  const copy: unknown = structuredClone(flow)
  for (let times = 1 + below(4); times > 0; times -= 1) {
    let at = copy
    for (let depth = below(9); depth >= 0; depth -= 1) {
      if (typeof at !== 'object' || at === null) break
      const keys = Object.keys(at)
      const key = keys[below(Math.max(1, keys.length))]
      if (key === undefined) break
      const inner: unknown = Reflect.get(at, key)
      if (depth === 0 || typeof inner !== 'object' || inner === null) {
        const what = below(4)
        if (what === 0) Reflect.deleteProperty(at, key)
        else if (what === 1 && Array.isArray(at)) at.push(structuredClone(inner))
        else Reflect.set(at, key, structuredClone(ODD[below(ODD.length)]))
        break
      }
      at = inner
    }
  }
  return copy
}

function ownFlow() {
  const flow = flowBuilder()
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(words, { id: 'Words-1' })
  flow.add(loop, { id: 'LoopComponent-1' })
  flow.add(join, { id: 'Join-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  flow
    .connect('ChatInput-1.message', 'Words-1.text')
    .connect('Words-1.rows', 'LoopComponent-1.data')
  flow.connect('LoopComponent-1.item', 'Join-1.texts').connect('Join-1.out', 'LoopComponent-1.item')
  flow
    .connect('LoopComponent-1.done', 'ChatOutput-1.input_value')
    .group('Group-1', ['Words-1', 'Join-1'])
  return flow.toJSON()
}

const flows = [
  ownFlow(),
  ...flowNames().map((name) => readFlow(name)),
  ...flowNames('starter/').map((name) => readFlow(name)),
]

/** Anything but a compile error is thrown on. */
function outcomeOf(flow: unknown): 'compiled' | 'refused' {
  try {
    compileFlow(flow, { components })
    return 'compiled'
  } catch (error) {
    if (error instanceof FlowCompileError) return 'refused'
    throw error
  }
}

describe('malformed flows', () => {
  test('FE-9: any JSON value gives a plan or problems, never another exception', () => {
    for (const value of ODD) {
      for (const flow of [
        value,
        { nodes: value },
        { data: value },
        { nodes: [value], edges: [value] },
      ]) {
        for (const found of checkFlow(flow, { components })) expect(found.message).not.toBe('')
      }
    }
  })

  test('FE-9: mutated real flows give typed problems only', () => {
    const below = numbers(7)
    for (let round = 0; round < 300; round += 1) {
      const flow = mutated(flows[round % flows.length], below)
      const errors = checkFlow(flow, { components }).filter(({ severity }) => severity === 'error')
      expect(outcomeOf(flow)).toBe(errors.length > 0 ? 'refused' : 'compiled')
    }
  })

  test('FE-9, FE-15: a mutated flow that compiles always terminates', async () => {
    const below = numbers(11)
    for (let round = 0; round < 200; round += 1) {
      const flow = mutated(flows[0], below)
      const run = runFlow(flow, {
        components,
        runtime: createTestRuntime(),
        mode: round % 2 === 0 ? 'run' : 'build',
        input: 'a b',
        limits: { loopPasses: 50 },
      })
      const result = await run.result.catch((error: unknown) => error)
      const refused = result instanceof FlowCompileError
      expect(refused || !(result instanceof Error)).toBe(true)
    }
  })

  test('FE-10: deeply nested groups are expanded without recursion', () => {
    let flow: unknown = { nodes: [], edges: [] }
    for (let depth = 0; depth < 5_000; depth += 1) {
      const node = { id: `Group-${depth}`, data: { type: 'Group', node: { template: {}, flow } } }
      flow = { data: { nodes: [node], edges: [] } }
    }
    expect(checkFlow(flow, { components })).toEqual([])
  })
})
