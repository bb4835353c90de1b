import { catalogCore, type CatalogCore } from '../../catalog/catalog.ts'
import { aliasesV1 } from '../../catalog/v1/basic-catalog-v1.ts'
import { findCatalog } from '../../catalog/v1/find-catalog.ts'
import { copyJson } from '../../data/copy-json.ts'
import { resolveLimits } from '../../diagnostics/limits.ts'
import { Report } from '../../diagnostics/report.ts'
import { checkBatch, collectBatch } from '../../graph/component-batch.ts'
import type { Definition } from '../../graph/definition.ts'
import { Graph } from '../../graph/graph.ts'
import type { JsonObject } from '../../json.ts'
import type { ValidateMessageOptionsV09 } from '../../message/v09/validate-message-v09.ts'
import { readMessageV1, type MessageDraftV1 } from '../../message/v1/read-message-v1.ts'
import type { ValidationResult } from '../../message/validation-result.ts'
import { checkComposition } from './check-composition.ts'
import { judgeComponents } from './process-v1.ts'

/** Validates a single message of version 1.0. */
export function validateMessageV1(
  value: unknown,
  options: ValidateMessageOptionsV09 = {},
): ValidationResult<JsonObject> {
  const { mode = 'strict' } = options
  const report = new Report(mode, resolveLimits(options.limits))
  const draft = readMessageV1(value, report)
  if (draft?.kind === 'createSurface') checkCreate(draft, options, report)
  else if (draft?.kind === 'updateComponents') checkUpdate(draft.components, options, report)
  const isRight = draft !== null && report.errors === 0
  const message = isRight ? (copyJson(value, new Report()) as JsonObject) : null
  return { message, diagnostics: report.finish() }
}

type Find = (id: string) => CatalogCore | null

function coresOf({ catalog, catalogs, catalogAliases = {} }: ValidateMessageOptionsV09): {
  readonly ids: readonly string[]
  readonly find: Find
} {
  const list = catalogs ?? (catalog === undefined ? [] : [catalog])
  const byId = new Map(list.map((one) => [one.catalogId, catalogCore(one)]))
  const aliases = new Map(Object.entries({ ...aliasesV1, ...catalogAliases }))
  const find: Find = (id) => byId.get(id) ?? byId.get(aliases.get(id) ?? '') ?? null
  return { ids: [...byId.keys()], find }
}

function checkCreate(
  { catalogId, components }: Extract<MessageDraftV1, { kind: 'createSurface' }>,
  options: ValidateMessageOptionsV09,
  report: Report,
): void {
  const { ids, find } = coresOf(options)
  if (ids.length === 0) {
    checkGraph(components, { kind: 'createSurface', report })
    return
  }
  if (catalogId !== null) {
    const found = findCatalog(catalogId, null, find)
    if (found.core === null) {
      report.add(found.code, found.message, { at: ['createSurface', 'catalogId'] })
      return
    }
  }
  const context = { kind: 'createSurface', report, ofSurface: catalogId, find } as const
  const judged = judgeComponents(components, context)
  if (judged !== null) checkGraph(judged, context)
}

/** Tries each catalog as the surface's; one must accept all components. */
function checkUpdate(
  components: readonly Definition[],
  options: ValidateMessageOptionsV09,
  report: Report,
): void {
  const { ids, find } = coresOf(options)
  const kind = 'updateComponents'
  const accepted = ids.find((ofSurface) => {
    const trial = new Report(report.mode, report.limits)
    return judgeComponents(components, { kind, report: trial, ofSurface, find }) !== null
  })
  const ofSurface = accepted ?? ids[0]
  const judged =
    ofSurface === undefined
      ? components
      : judgeComponents(components, { kind, report, ofSurface, find })
  if (judged !== null) checkGraph(judged, { kind, report })
}

function checkGraph(
  components: readonly Definition[],
  { kind, report }: { kind: 'createSurface' | 'updateComponents'; report: Report },
): void {
  const graph = new Graph()
  const batch = collectBatch(components, report, kind)
  checkBatch(graph, batch, report, kind)
  if (report.errors > 0) return
  for (const definition of batch.values()) graph.put(definition)
  checkComposition(graph, batch, { retyped: [], kind, report })
}
