import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import { describeCollections } from './collections-spec.ts'
import { describeComponents } from './components-spec.ts'
import { describeCounts } from './counts-spec.ts'
import { describeFlowVersions } from './flow-versions-spec.ts'
import { describeFlowLists, describeFlows } from './flows-spec.ts'
import { describeBuildRecords, describeMessages } from './monitor-spec.ts'
import {
  describeApiKeys,
  describeMcpServers,
  describeProjects,
  describeUserFiles,
  describeVariables,
} from './owned-spec.ts'
import { describeRunTraces } from './run-traces-spec.ts'
import { describeSignIn } from './sign-in-spec.ts'
import type { Subject } from './subject.ts'
import type { ContractOptions, TestFrame } from './test-frame.ts'
import { describeTransactions } from './transaction-spec.ts'
import { describeUsers } from './users-spec.ts'

const specs: readonly ((subject: Subject<FlowStore>) => void)[] = [
  describeUsers,
  describeApiKeys,
  describeVariables,
  describeProjects,
  describeFlows,
  describeFlowLists,
  describeFlowVersions,
  describeUserFiles,
  describeMessages,
  describeBuildRecords,
  describeRunTraces,
  describeComponents,
  describeMcpServers,
  describeSignIn,
  describeCollections,
  describeCounts,
  describeTransactions,
]

/**
 * Defines the tests of a FlowStore. Takes the functions of your test runner and a factory for empty stores;
 * works with vitest and `node:test`.
 */
export function defineFlowStoreContract(
  t: TestFrame,
  { name, create, destroy }: ContractOptions<FlowStore>,
): void {
  t.describe(`flow store: ${name}`, () => {
    let current: FlowStore | undefined
    t.beforeEach(async () => {
      current = await create()
    })
    t.afterEach(async () => {
      if (current !== undefined) await destroy?.(current)
      current = undefined
    })
    const store = (): FlowStore => {
      assert.ok(current)
      return current
    }
    for (const spec of specs) spec({ it: (title, body) => t.it(title, body), store })
  })
}
