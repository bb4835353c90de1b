import type { FlowStore } from '../store/flow-store.ts'
import { describeBudgets } from './budgets-spec.ts'
import { describeCollections } from './collections-spec.ts'
import { describeComponents } from './components-spec.ts'
import { describeCounts } from './counts-spec.ts'
import { describeFlowVersions } from './flow-versions-spec.ts'
import { describeFlowLists, describeFlows } from './flows-spec.ts'
import { describeListParts } from './list-parts-spec.ts'
import { describeBuildRecords, describeMessages } from './monitor-spec.ts'
import {
  describeApiKeys,
  describeMcpServers,
  describeProjects,
  describeUserFiles,
  describeVariables,
} from './owned-spec.ts'
import { describeRunTraces } from './run-traces-spec.ts'
import { describeSealedValues } from './sealed-values-spec.ts'
import { describeSignIn } from './sign-in-spec.ts'
import { describeStore, type Subject } from '@x/flow-engine/internal/node'
import type { ContractOptions, TestFrame } from '@x/flow-engine/testing'
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
  describeListParts,
  describeRunTraces,
  describeComponents,
  describeMcpServers,
  describeSignIn,
  describeCollections,
  describeCounts,
  describeSealedValues,
  describeBudgets,
  describeTransactions,
]

/**
 * Defines the tests of a FlowStore. Takes the functions of your test runner and a factory for empty stores;
 * works with vitest and `node:test`.
 */
export function defineFlowStoreContract(t: TestFrame, options: ContractOptions<FlowStore>): void {
  describeStore(t, `flow store: ${options.name}`, options, (subject) => {
    for (const spec of specs) spec(subject)
  })
}
