import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { createBuildJobs } from '@x/flow-engine'
import {
  createDataFrame,
  createRegistry,
  createResultCache,
  defineComponent,
  field,
  formatValue,
  output,
  type Component,
  type ResultCache,
} from '@x/flow-engine'
import { identity } from '../../src/graph/vertex/frozen.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { encoded, join, library, run, textOf } from './dependencies.ts'

interface Counting {
  readonly component: Component
  readonly builds: () => number
}

function counting(
  options: { version?: string; fails?: () => boolean; stops?: boolean } = {},
): Counting {
  let builds = 0
  const component = defineComponent({
    type: 'Counted',
    ...(options.version === undefined ? {} : { version: options.version }),
    inputs: {
      text: field.handle({ types: ['Message'] }),
      key: field.secret({ loadFromDb: true }),
      suffix: field.string(),
    },
    outputs: {
      out: output.message({
        run: ({ text }, ctx) => {
          builds += 1
          ctx.log('noted', 'while it ran')
          if (options.fails?.() === true) throw new RangeError('not yet')
          return `${textOf(text)}${builds}`
        },
      }),
      other: output.message({
        run: (_inputs, ctx) => {
          if (options.stops === true) ctx.stop('other')
          return ''
        },
      }),
    },
  })
  return { component, builds: () => builds }
}

function frozen(component: Component, before: Component = join) {
  const flow = flowBuilder()
  flow.add(before, { id: 'Before-1' })
  flow.add(component, { id: 'Counted-1', values: { key: 'KEY' }, frozen: true })
  flow.add(join, { id: 'Join-1' })
  flow.add(join, { id: 'Join-2' })
  return flow
    .connect('Before-1.out', 'Counted-1.text')
    .connect('Counted-1.out', 'Join-1.texts')
    .connect('Counted-1.other', 'Join-2.texts')
    .toJSON()
}

const options = (component: Component, cache: ResultCache) => ({
  more: [component],
  cache,
  services: { environment: { KEY: 'sk-one' } },
})

describe('frozen vertices (FE-33)', () => {
  test('FE-33: a cached result repeats its outputs, logs and branches, and is marked as cached', async () => {
    const { component, builds } = counting({ stops: true })
    const given = options(component, createResultCache())
    const first = await run(frozen(component), given)
    const second = await run(frozen(component), given)
    expect(builds()).toBe(1)
    expect(first.ends).toEqual(['Before-1', 'Counted-1', 'Join-1'])
    expect(second.ends).toEqual(first.ends)
    const flagged = encoded(second.events).replace(
      '"used_frozen_result":true',
      '"used_frozen_result":false',
    )
    expect(flagged).not.toBe(encoded(second.events))
    const stable = (text: string) => text.replaceAll(/"timestamp":"[^"]*"/g, '')
    expect(stable(flagged)).toBe(stable(encoded(first.events)))
    expect(flagged).toContain('while it ran')
  })

  test('FE-33: a failed build is not cached', async () => {
    let fails = true
    const { component, builds } = counting({ fails: () => fails })
    const given = options(component, createResultCache())
    expect((await run(frozen(component), given)).result.status).toBe('failed')
    fails = false
    expect((await run(frozen(component), given)).result.status).toBe('succeeded')
    expect(builds()).toBe(2)
  })

  test('FE-33: another version of the component has its own result', async () => {
    const cache = createResultCache()
    const [one, two] = [counting({ version: '1' }), counting({ version: '2' })]
    for (const { component } of [one, two, one, two]) {
      await run(frozen(component), options(component, cache))
    }
    expect([one.builds(), two.builds()]).toEqual([1, 1])
  })

  test('FE-33: another vertex of the same kind has its own result', async () => {
    const { component, builds } = counting()
    const given = options(component, createResultCache())
    const json = frozen(component)
    await run(json, given)
    await run(JSON.parse(JSON.stringify(json).replaceAll('Counted-1', 'Counted-2')), given)
    expect(builds()).toBe(2)
  })

  test('FE-33: the result is kept while its inputs change, until it is unfrozen', async () => {
    let text = 'a'
    const changing = defineComponent({
      type: 'Changing',
      inputs: {},
      outputs: { out: output.message({ run: () => text }) },
    })
    const { component, builds } = counting()
    const more = { ...options(component, createResultCache()), more: [component, changing] }
    const json = frozen(component, changing)
    const texts: unknown[] = []
    for (text of ['a', 'b']) texts.push((await run(json, more)).result.text('Join-1'))
    expect(texts).toEqual(['a1', 'a1'])
    expect(builds()).toBe(1)
  })

  test('FE-33: in the editor the last result before freezing is kept', async () => {
    const { component, builds } = counting()
    const given = { ...options(component, createResultCache()), mode: 'build' as const }
    const json = frozen(component)
    const freeze = (on: boolean) => {
      for (const node of json.data?.nodes ?? []) {
        if (node.id === 'Counted-1') node.data.node.frozen = on
      }
      return run(json, given)
    }
    for (const on of [false, true, true, false, true]) await freeze(on)
    expect(builds()).toBe(2)
    const kept = await freeze(true)
    expect(kept.result.text('Join-1')).toBe('2')
  })

  test('FE-33: changing a setting of the frozen vertex itself builds it again', async () => {
    const { component, builds } = counting()
    const given = options(component, createResultCache())
    const json = frozen(component)
    await run(json, given)
    await run(json, { ...given, tweaks: { 'Counted-1': { text: 'set' } } })
    expect(builds()).toBe(1)
    for (const suffix of ['!', '?', '!']) {
      await run(json, { ...given, tweaks: { 'Counted-1': { suffix } } })
    }
    expect(builds()).toBe(3)
  })

  test('FE-33: the value of a secret is not part of the key', async () => {
    const { component, builds } = counting()
    const keys: string[] = []
    const inner = createResultCache()
    const cache: ResultCache = {
      get: (key) => (keys.push(key), inner.get(key)),
      set: (key, result) => inner.set(key, result),
    }
    for (const KEY of ['sk-one', 'sk-two']) {
      await run(frozen(component), {
        more: [component],
        cache,
        services: { environment: { KEY } },
      })
    }
    expect(builds()).toBe(1)
    expect(new Set(keys).size).toBe(1)
  })

  test('FE-33: a failing cache counts as empty', async () => {
    const { component, builds } = counting()
    const fail = (): never => {
      throw new RangeError('the cache is down')
    }
    const given = options(component, {
      get: fail,
      set: () => Promise.reject(new RangeError('full')),
    })
    for (let index = 0; index < 2; index += 1) {
      expect((await run(frozen(component), given)).result.status).toBe('succeeded')
    }
    expect(builds()).toBe(2)
  })

  test('FE-33: jobs keep results of frozen vertices by default, separately for each user', async () => {
    const { component, builds } = counting()
    const jobs = createBuildJobs({
      components: createRegistry([...library, component]),
      services: { environment: { KEY: 'sk-one' } },
    })
    const flow = frozen(component)
    for (const userId of ['ada', 'ada', 'bob']) {
      const { id } = await jobs.start({ flow, flowId: 'flow-1', userId })
      await jobs.result(id)
    }
    await jobs.close()
    expect(builds()).toBe(2)
  })

  test('FE-33: the cache drops expired results, and the least recently used one when it is full', async () => {
    const runtime = createTestRuntime()
    const cache = createResultCache({ maxBytes: 100, maxAgeMs: 1000, runtime })
    const result = (bytes: number) => ({ outputs: {}, bytes })
    await cache.set('a', result(40))
    await cache.set('b', result(40))
    expect(await cache.get('a')).toBeDefined()
    await cache.set('c', result(40))
    expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([
      result(40),
      undefined,
      result(40),
    ])
    await cache.set('large', result(101))
    expect(await cache.get('large')).toBeUndefined()
    expect(await cache.get('c')).toBeDefined()
    await runtime.advance(1000)
    expect(await cache.get('c')).toBeUndefined()
  })

  test('FE-33: the cache is bounded by count, and keeps results as long as there is room', async () => {
    const runtime = createTestRuntime()
    const cache = createResultCache({ maxCount: 2, runtime })
    for (const key of ['a', 'b', 'c']) await cache.set(key, { outputs: {}, bytes: 1 })
    await runtime.advance(365 * 24 * 3_600_000)
    expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([
      undefined,
      expect.anything(),
      expect.anything(),
    ])
  })
})

test('FE-33, CO-3: a table with a missing cell differs from one with null there, although their JSON is equal', () => {
  const missing = createDataFrame([{ a: 1 }], ['a', 'b'])
  const empty = createDataFrame([{ a: 1, b: null }])
  expect(formatValue(missing)).toEqual(formatValue(empty))
  expect(JSON.stringify(identity(missing))).not.toBe(JSON.stringify(identity(empty)))
})
