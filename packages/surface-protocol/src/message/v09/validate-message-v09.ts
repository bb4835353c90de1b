import { catalogCore, type Catalog, type CatalogCore } from '../../catalog/catalog.ts'
import { aliasesV09 } from '../../catalog/v09/basic-catalog-ids.ts'
import { quote } from '../../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../../diagnostics/limits.ts'
import { Report, type Mode } from '../../diagnostics/report.ts'
import { checkBatch, collectBatch } from '../../graph/component-batch.ts'
import type { Definition } from '../../graph/definition.ts'
import { Graph } from '../../graph/graph.ts'
import { ownValue } from '../../json.ts'
import { copyJson } from '../../data/copy-json.ts'
import type { ValidationResult } from '../validation-result.ts'
import { checkComponents } from './check-components.ts'
import type { ServerMessageV09 } from './messages-v09.ts'
import { readMessageV09, type MessageDraftV09 } from './read-message-v09.ts'

/** Options for validating a message. */
export interface ValidateMessageOptionsV09 {
  readonly mode?: Mode
  readonly catalog?: Catalog
  readonly catalogs?: readonly Catalog[]
  readonly catalogAliases?: Readonly<Record<string, string>>
  readonly limits?: Partial<SurfaceLimits>
}

/** Validates a single message of version 0.9.1. */
export function validateMessageV09(
  value: unknown,
  options: ValidateMessageOptionsV09 = {},
): ValidationResult<ServerMessageV09> {
  const { mode = 'strict', catalog, catalogs = catalog === undefined ? [] : [catalog] } = options
  const report = new Report(mode, resolveLimits(options.limits))
  const draft = readMessageV09(value, report)
  if (draft?.kind === 'createSurface' && catalogs.length > 0) checkCreate(draft, options, report)
  else if (draft?.kind === 'updateComponents') checkUpdate(draft.components, catalogs, report)
  const isRight = draft !== null && report.errors === 0
  const message = isRight ? (copyJson(value, new Report()) as unknown as ServerMessageV09) : null
  return { message, diagnostics: report.finish() }
}

function checkCreate(
  { catalogId, theme }: Extract<MessageDraftV09, { kind: 'createSurface' }>,
  {
    catalog,
    catalogs = catalog === undefined ? [] : [catalog],
    catalogAliases = {},
  }: ValidateMessageOptionsV09,
  report: Report,
): void {
  const alias = ownValue(catalogAliases, catalogId) ?? ownValue(aliasesV09, catalogId)
  const found =
    catalogs.find((one) => one.catalogId === catalogId) ??
    catalogs.find((one) => one.catalogId === alias)
  if (found === undefined) {
    report.add('unknown_catalog', `There is no catalog ${quote(catalogId)} here.`, {
      at: ['createSurface', 'catalogId'],
    })
    return
  }
  report.path.push('createSurface', 'theme')
  catalogCore(found).checkStyles(theme ?? {}, report)
  report.path.length = 0
}

/** Tries each catalog; one must accept all components. */
function checkUpdate(
  components: readonly Definition[],
  catalogs: readonly Catalog[],
  report: Report,
): void {
  const cores = catalogs.map(catalogCore)
  const [first] = cores
  const core: CatalogCore | undefined =
    cores.length > 1 ? (cores.find((one) => accepts(one, components, report)) ?? first) : first
  checkComponents(components, core ?? null, report)
  if (report.errors > 0) return
  for (const component of components) component.core = core ?? null
  const batch = collectBatch(components, report, 'updateComponents')
  checkBatch(new Graph(), batch, report, 'updateComponents')
}

function accepts(
  core: CatalogCore,
  components: readonly Definition[],
  { mode, limits }: Report,
): boolean {
  const trial = new Report(mode, limits)
  checkComponents(components, core, trial)
  return trial.errors === 0
}
