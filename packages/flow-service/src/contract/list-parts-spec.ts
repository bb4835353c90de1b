import { append, oddText } from '@x/wire'
import assert from 'node:assert/strict'
import { compareText } from '@x/wire'
import type { FlowStore } from '../store/flow-store.ts'
import { insertTwoFlows } from './insert-two-flows.ts'
import {
  apiKey,
  component,
  idOf,
  message,
  project,
  transactionOf,
  userFile,
  variable,
  vertexBuild,
} from './records.ts'
import type { TransactionRecord } from '../store/build-records.ts'
import type { Slice } from '@x/flow-engine/store'
import type { SharedComponentQuery, SharedComponentView } from '../store/shared-components.ts'
import type { Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]
const LONG = 'é'.repeat(700_000)
const MANY = [1, 2, 3, 4, 5, 6, 7]

/** Long for every third row, so that some parts hold several rows. */
const textOf = (n: number): string => (n % 3 === 1 ? `${n}${LONG}` : oddText)

/** All rows, after checking that long ones are alone. */
async function joined<Row>(
  parts: AsyncIterable<readonly Row[]>,
  length: (row: Row) => number = () => 0,
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const part of parts) {
    assert.ok(part.every((row) => length(row) < LONG.length) || part.length === 1)
    append(rows, part)
  }
  return rows
}

/** Specs of the lists that stores may read in parts. */
export function describeListParts({ it, store }: Subject<FlowStore>): void {
  it('apiKeys, projects, variables, userFiles, vertexBuilds, transactions: parts have the rows of the list', async () => {
    const { apiKeys, projects, variables, userFiles, vertexBuilds, transactions } =
      await insertTwoFlows(store())
    const limits = { perVertex: 1, perOwner: 100 }
    for (const n of MANY) {
      await apiKeys.insert(apiKey(n, { name: textOf(n) }))
      await variables.insert(variable(n, { value: textOf(n) }))
      await userFiles.insert(userFile(n, { name: `${n}${oddText}` }))
      const build = vertexBuild(n, { vertexId: `v${n % 5}`, params: textOf(n) })
      await vertexBuilds.append([build], limits)
      await transactions.append([transactionOf(n, { error: textOf(n) })], 100)
    }
    const names = ['b', 'Z', 'ä', oddText, '\u{1F600}', '\uFFFD', 'a first one']
    for (const [n, name] of names.entries()) {
      await projects.insert(project(n + 1, { name, description: textOf(n) }))
    }
    await projects.insert(project(9, { userId: bob, name: 'b' }))
    await variables.insert(variable(8, { userId: bob }))
    await vertexBuilds.append([vertexBuild(8, { flowId: idOf(5, 2) })], limits)
    const flowId = idOf(5, 1)
    if (apiKeys.parts !== undefined) {
      const read = await joined(apiKeys.parts(ada), ({ name }) => name?.length ?? 0)
      assert.deepEqual(read, await apiKeys.list(ada))
    }
    if (projects.parts !== undefined) {
      const length = ({ description }: { description: string | null }) => description?.length ?? 0
      const read = await joined(projects.parts(ada, 'a first one'), length)
      const [first, ...others] = read.map(({ name }) => name)
      assert.equal(first, 'a first one')
      assert.deepEqual(others, names.slice(0, -1).toSorted(compareText))
      const known = new Map((await projects.list(ada)).map((record) => [record.id, record]))
      assert.equal(known.size, read.length)
      for (const record of read) assert.deepEqual(record, known.get(record.id))
    }
    if (variables.parts !== undefined) {
      const read = await joined(variables.parts(ada), ({ value }) => value.length)
      assert.deepEqual(read, await variables.list(ada))
    }
    if (userFiles.parts !== undefined)
      assert.deepEqual(await joined(userFiles.parts(ada)), await userFiles.list(ada))
    if (vertexBuilds.latestParts !== undefined) {
      const length = ({ params }: { params: string | null }) => params?.length ?? 0
      const read = await joined(vertexBuilds.latestParts(flowId), length)
      assert.deepEqual(read, await vertexBuilds.latest(flowId))
      assert.equal(read.length, 5)
    }
    if (transactions.parts === undefined) return
    const slices: readonly Slice[] = [
      {},
      { offset: 2, limit: 3 },
      { offset: 6, limit: 5 },
      { limit: 0 },
    ]
    for (const slice of slices) {
      const length = ({ error }: { error: string | null }) => error?.length ?? 0
      const read: TransactionRecord[] = await joined(transactions.parts(flowId, slice), length)
      assert.deepEqual(read, (await transactions.list(flowId, slice)).items)
    }
  })

  it('messages: sessions in parts, and sessions renamed in parts', async () => {
    const { messages } = await insertTwoFlows(store())
    const sessions = ['b', 'a', '', 'b', oddText, 'a', 'b']
    for (const [at, sessionId] of sessions.entries())
      await messages.insert(message(at + 1, { sessionId, text: textOf(at + 1) }))
    await messages.insert(message(8, { userId: bob, flowId: idOf(5, 2), sessionId: 'b' }))
    await messages.insert(message(9, { flowId: null, sessionId: 'd' }))
    if (messages.sessionParts !== undefined) {
      assert.deepEqual(await joined(messages.sessionParts(ada)), ['b', 'a', '', oddText])
      assert.deepEqual(await joined(messages.sessionParts(ada, idOf(5, 2))), [])
      assert.deepEqual(await joined(messages.sessionParts(bob, idOf(5, 2))), ['b'])
    }
    if (messages.renameSessionParts === undefined) return
    const renamed = await messages.renameSessionParts(ada, 'b', 'a')
    assert.deepEqual(await messages.sessions(ada), ['a', '', oddText])
    const expected = [1, 4, 7].map((n) => message(n, { sessionId: 'a', text: textOf(n) }))
    assert.deepEqual(await joined(renamed, ({ text }) => text.length), expected)
    assert.deepEqual(await joined(await messages.renameSessionParts(ada, 'b', 'a')), [])
    assert.deepEqual(await messages.sessions(bob), ['b'])
  })

  it('components: parts have the items of the list', async () => {
    const { components, tags } = await insertTwoFlows(store())
    const tag = { id: idOf(13, 1), name: 'Chat' }
    await tags.insert(tag)
    for (const n of MANY) {
      const more = { description: textOf(n), ownerId: n === 5 ? bob : ada }
      await components.insert(component(n, { name: `c${n}`, ...more }), n % 2 === 0 ? [tag.id] : [])
    }
    if (components.parts === undefined) return
    const sort = [{ by: 'description', descending: true }] as const
    for (const more of [
      {},
      { sort },
      { search: LONG.slice(0, 10) },
      { search: 'nothing like it' },
      { offset: 2, limit: 3 },
      { tags: ['Chat'] },
    ]) {
      const query: SharedComponentQuery = { viewerId: ada, scope: 'visible', sort: [], ...more }
      const read: SharedComponentView[] = await joined(
        components.parts(query),
        ({ description }) => description?.length ?? 0,
      )
      assert.deepEqual(read, (await components.list(query)).items)
    }
  })
}
