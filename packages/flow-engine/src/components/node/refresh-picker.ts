import { isObject } from '@x/wire'
import { providerTable, type ProviderFacts } from '../../models/provider-table.ts'
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
 * Offers in a model picker the models of the providers whose key the user has, of all providers when
 * there is none (NX-16). A choice stays while it is offered, or when it was typed by hand.
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
  // A name that no list of ours has was typed by hand.
  if (!isIn(offered) && isIn(modelsOf(providerTable, kind))) picker.value = []
}

async function providersWithKey({
  services: { variables, environment = {} },
  userId,
}: RefreshContext): Promise<readonly ProviderFacts[]> {
  const scope = { flowId: '', ...(userId === undefined ? {} : { userId }) }
  const isSet = async (name: string | null | undefined): Promise<boolean> => {
    if (name === null || name === undefined) return false
    if (((await variables?.get(name, scope)) ?? '') !== '') return true
    return Object.hasOwn(environment, name) && environment[name] !== ''
  }
  const found: ProviderFacts[] = []
  for (const facts of providerTable) {
    // A provider without a key is set up by its address.
    if (await isSet(facts.keyName ?? facts.urlName)) found.push(facts)
  }
  return found.length === 0 ? providerTable : found
}

function modelsOf(
  providers: readonly ProviderFacts[],
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
