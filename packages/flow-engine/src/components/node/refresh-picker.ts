import { isObject } from '@x/wire'
import { providerTable, type ProviderMetadata } from '../../models/provider-table.ts'
import { openAiReasoningModels } from '../../models/model-names.ts'
import type { RefreshContext } from '../define/refresh-context.ts'
import type { NodeTemplate } from '../../graph/flow/node-json.ts'
import { templateField } from './create-node.ts'

const CONNECT = 'connect_other_models'

interface OfferedModel {
  readonly name: string
  readonly provider: string
  readonly category: string
  readonly icon: string
  readonly metadata: object
}

/**
 * Offers the models of those providers for which the user has a key, or of all providers if there is none. A selection is kept while it is offered, or if it was entered manually.
 */
export async function refreshPicker(
  template: NodeTemplate,
  { field, value }: { readonly field: string; readonly value: unknown },
  ctx: RefreshContext,
): Promise<void> {
  const picker = templateField(template, field)
  if (picker === undefined || (picker.type !== 'model' && picker['_input_type'] !== 'ModelInput'))
    return
  const kind = picker['model_type'] === 'embedding' ? 'embedding' : 'language'
  const offered = modelsOf(await providersWithKey(ctx), kind)
  picker.options = offered
  if (value === CONNECT) {
    picker.input_types = [kind === 'embedding' ? 'Embeddings' : 'LanguageModel']
    return
  }
  const [choice]: unknown[] = Array.isArray(value) ? value : [value]
  if (!isObject(choice)) return
  const { name, provider } = choice
  const isIn = (models: readonly OfferedModel[]): boolean =>
    models.some((model) => model.name === name && model.provider === provider)
  // A name that is in none of our lists was entered manually.
  if (!isIn(offered) && isIn(modelsOf(providerTable, kind))) picker.value = []
}

async function providersWithKey({
  services: { variables, environment = {} },
  userId,
}: RefreshContext): Promise<readonly ProviderMetadata[]> {
  const scope = { flowId: '', ...(userId === undefined ? {} : { userId }) }
  const isSet = async (name: string | null | undefined): Promise<boolean> => {
    if (name === null || name === undefined) return false
    if (((await variables?.get(name, scope)) ?? '') !== '') return true
    return Object.hasOwn(environment, name) && environment[name] !== ''
  }
  const found: ProviderMetadata[] = []
  for (const facts of providerTable) {
    // Providers without a key are configured by their address.
    if (await isSet(facts.keyName ?? facts.urlName)) found.push(facts)
  }
  return found.length === 0 ? providerTable : found
}

function modelsOf(
  providers: readonly ProviderMetadata[],
  kind: 'language' | 'embedding',
): OfferedModel[] {
  return providers.flatMap(({ name: provider, icon, languageModels, embeddingModels }) =>
    (kind === 'embedding' ? embeddingModels : languageModels).map((name) => ({
      name,
      provider,
      category: provider,
      icon,
      metadata: reasons(name) ? { reasoning: true } : {},
    })),
  )
}

function reasons(name: string): boolean {
  return (openAiReasoningModels as readonly string[]).includes(name)
}
