import { expect, test } from 'vitest'
import { firstProblems } from '../../src/http/request/first-problems.ts'
import { routes } from '../../src/http/routes/index.ts'
import { createUserCalls } from '@x/test-kit'

const MANY = 20_000

test(
  'AB-52, AB-93: every operation reports at most 100 problems of a long list of invalid items',
  { tags: ['long'] },
  () => {
    const wrong: string[] = []
    let tried = 0
    for (const { method, path, body: schema, consumes } of routes) {
      if (schema === undefined || consumes !== undefined) continue
      const shape = 'shape' in schema ? Object.keys(schema.shape as object) : []
      const list = Array<number>(MANY).fill(0)
      const record = Object.fromEntries(list.map((item, at) => [`k${at}`, item]))
      const deep = { [shape[0] ?? 'a']: [{ tags: list, files: list }] }
      for (const body of [
        list,
        deep,
        ...shape.flatMap((name) => [{ [name]: list }, { [name]: record }]),
      ]) {
        const { user: before } = process.cpuUsage()
        const first = firstProblems(schema, body)
        const told = first.length > 0 ? first : (schema.safeParse(body).error?.issues ?? [])
        const cost = (process.cpuUsage().user - before) / 1000
        tried += 1
        if (told.length > 100 || cost > 500)
          wrong.push(`${method} ${path}: ${told.length}, ${cost} ms`)
      }
    }
    expect(wrong).toEqual([])
    expect(tried).toBeGreaterThan(100)
  },
)

test('AB-52: a graph with many invalid nodes, whose body is parsed after the ownership check, reports 100 problems', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create({ nodes: [], edges: [] })
  const nodes = Array<number>(MANY).fill(0)
  const { status, body } = await call('POST', `/api/v1/build/${id}/vertices`, { nodes, edges: [] })
  expect([status, (body as { detail: unknown[] }).detail.length]).toEqual([422, 100])
  await engine.close()
})
