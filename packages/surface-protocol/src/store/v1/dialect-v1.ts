import { aliasesV1, basicCatalogV1 } from '../../catalog/v1/basic-catalog-v1.ts'
import { createEvaluationRulesV1 } from '../../catalog/v1/evaluation-rules-v1.ts'
import { Evaluator } from '../../functions/evaluate.ts'
import { validateRendererMessage } from '../../message/v1/client-message-v1.ts'
import { processMessageV1 } from './process-v1.ts'
import { validateMessageV1 } from './validate-message-v1.ts'
import { snapshotOfV1, viewOfV1 } from './view-v1.ts'
import type { StoreDialect } from '../state.ts'

/** The store dialect of version 1.0. */
export const dialectV1: StoreDialect = {
  version: '1.0',
  family: '1.0',
  catalogs: [basicCatalogV1],
  catalogAliases: aliasesV1,
  // Catalogs of another version are rejected where a message names them.
  accepts: () => true,
  evaluator: (options, find) => new Evaluator({ ...options, rules: createEvaluationRulesV1(find) }),
  process: processMessageV1,
  view: viewOfV1,
  snapshot: (surface, { limits }) => snapshotOfV1(surface, limits),
  validateClientMessage: validateRendererMessage,
  validateMessage: validateMessageV1,
}
