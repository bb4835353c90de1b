/**
 * Version 1.0 of the protocol, experimental: it may change in a minor release.
 * @module
 */
import { wireFormV1 } from './build/wire-form-v1.ts'
import { catalogCore, type Catalog } from './catalog/catalog.ts'
import { basicCatalogV1 } from './catalog/v1/basic-catalog-v1.ts'
import { compileCatalogV1 } from './catalog/v1/catalog-v1.ts'
import { createEvaluationRulesV1 } from './catalog/v1/evaluation-rules-v1.ts'
import type { FindCore } from './catalog/v1/find-catalog.ts'
import type { FunctionParts } from './functions/evaluate-function.ts'
import type { CatalogParts } from './catalog/parse-catalog.ts'
import { createProtocol, type Protocol } from './data/version.ts'
import type { InteropParts } from './interop/conversion-step.ts'
import { createStepFromV1, createStepToV1 } from './interop/v1/steps-v1.ts'
import { promptRulesV1 } from './llm/v1/prompt-rules-v1.ts'
import { validateRendererMessage } from './message/v1/client-message-v1.ts'
import type { MessageParts } from './message/protocol-parts.ts'
import { dialectV1 } from './store/v1/dialect-v1.ts'
import { validateMessageV1 } from './store/v1/validate-message-v1.ts'

export { basicCatalogV1 }
export { createRpc, type Rpc, type RpcOptions } from './rpc/rpc.ts'
export type { CallRendererOptions } from './rpc/renderer-calls.ts'
export { withFunctions } from './catalog/v1/catalog-v1.ts'
export { resolveCatalog } from './catalog/v1/find-catalog.ts'
export { validateRendererMessage }

/** Version 1.0 of the protocol, for every option called `version`. */
export const v1: Protocol = createProtocol('1.0', {
  store: dialectV1,
  functions: {
    rules: (catalogs = [basicCatalogV1]) => createEvaluationRulesV1(coresById(catalogs)),
    catalogId: basicCatalogV1.catalogId,
  } satisfies FunctionParts,
  message: {
    validateMessage: validateMessageV1,
    validateClientMessage: validateRendererMessage,
  } satisfies MessageParts,
  build: wireFormV1,
  prompt: promptRulesV1,
  interop: { fromV09: createStepToV1, toV09: createStepFromV1 } satisfies InteropParts,
  catalog: { compileCatalog: compileCatalogV1 } satisfies CatalogParts,
})

/** Finds the core of a catalog by id. */
function coresById(catalogs: readonly { readonly catalogId: string }[]): FindCore {
  const byId = new Map(catalogs.map((one) => [one.catalogId, catalogCore(one as Catalog)]))
  return (id) => byId.get(id) ?? null
}

export type {
  ClientMessageV1,
  ComponentV1,
  FunctionResponse,
  ServerMessageV1,
} from './message/v1/messages-v1.ts'
