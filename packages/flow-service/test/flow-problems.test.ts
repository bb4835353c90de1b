import { beforeEach, describe, expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'

type Calls = Awaited<ReturnType<typeof createUserCalls>>
interface Answer {
  readonly total: number
  readonly problems: readonly Readonly<Record<string, unknown>>[]
}

/** A node whose type nobody has. */
const unknownNode = (id: string) => ({
  id,
  type: 'genericNode',
  position: { x: 0, y: 0 },
  data: { id, type: 'Nowhere', node: { display_name: 'Nowhere', template: {}, outputs: [] } },
})

describe('FE-8 problems of a stored flow', () => {
  let calls: Calls
  const problems = async (id: string): Promise<Answer> => {
    const { status, body } = await calls.call('GET', `/api/v1/flows/${id}/problems`)
    expect(status).toBe(200)
    return body as Answer
  }
  beforeEach(async () => {
    calls = await createUserCalls()
  })

  test('a valid flow and a flow without a graph have no problems', async () => {
    const flow = flowBuilder('echo')
    const [input, output] = [flow.add('ChatInput'), flow.add('ChatOutput')]
    flow.connect(`${input}.message`, `${output}.input_value`)
    const none = { total: 0, problems: [] }
    expect(await problems(await calls.create(flow.toJSON().data))).toEqual(none)
    expect(await problems(await calls.create(null))).toEqual(none)
  })

  test('NX-7 each node of an unknown type has its own problem; a broken edge is named by its id', async () => {
    const edge = { id: 'to-nowhere', source: 'Nowhere-1', target: 'Gone-1' }
    const nodes = [unknownNode('Nowhere-1'), unknownNode('Nowhere-2')]
    const found = await problems(await calls.create({ nodes, edges: [edge] }))
    expect(found.problems).toContainEqual({
      code: 'unknown_component',
      message: 'Unknown component types: Nowhere (Nowhere-2)',
      severity: 'error',
      node_id: 'Nowhere-2',
      edge_id: null,
      field: null,
    })
    expect(found.problems.map(({ node_id: id }) => id)).toContain('Nowhere-1')
    expect(found.problems.some(({ edge_id: id }) => id === 'to-nowhere')).toBe(true)
  })

  test('FE-42 an edited node gives a warning that names the component that runs instead', async () => {
    const flow = flowBuilder('edited')
    flow.add('ChatInput', { id: 'ChatInput-a' })
    const [node] = flow.toJSON().data?.nodes ?? []
    const edited = structuredClone(node) as {
      data: { node: { template: Record<string, unknown>; [key: string]: unknown } }
    }
    edited.data.node.template['code'] = { name: 'code', type: 'code', value: 'class Mine: pass' }
    edited.data.node['edited'] = true
    const found = await problems(await calls.create({ nodes: [edited], edges: [] }))
    expect(found.problems).toEqual([
      expect.objectContaining({
        code: 'edited_component',
        severity: 'warning',
        node_id: 'ChatInput-a',
        message: expect.stringContaining('runs as ChatInput'),
      }),
    ])
  })

  test('AB-1 at most 200 problems of at most 1,000 characters are listed; all are counted', async () => {
    const nodes = Array.from({ length: 300 }, (_, index) => unknownNode(`N-${index}`))
    const found = await problems(await calls.create({ nodes, edges: [] }))
    expect(found.total).toBe(300)
    expect(found.problems).toHaveLength(200)
    for (const { message } of found.problems)
      expect(String(message).length).toBeLessThanOrEqual(1_003)
  })

  test('a flow of another user is reported as not found', async () => {
    const { engine, create } = calls
    const id = await create(null)
    const bea = { username: 'bea', password: 'secret-2', isActive: true }
    const { id: userId } = await engine.services.users.create(bea)
    const read = (flowId: string) =>
      engine.handler(new Request(`http://host.example/api/v1/flows/${flowId}/problems`), {
        user: { userId, isSuperuser: false },
      })
    const [theirs, none] = [await read(id), await read('00000000-0000-4000-8000-000000000000')]
    expect([theirs.status, none.status]).toEqual([404, 404])
    expect(await theirs.text()).toBe(await none.text())
  })
})
