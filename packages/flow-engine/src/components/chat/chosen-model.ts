import { isChatModel, isEmbedder, type ChatModel, type Embedder } from '../../models/chat-model.ts'
import {
  findProvider,
  keyNameOf,
  providerOfModel,
  providerTable,
  type ProviderMetadata,
} from '../../models/provider-table.ts'
import {
  findChatModel,
  findEmbedder,
  hostEmbeds,
  hostServesModels,
} from '../../models/providers.ts'
import { isAddressOf, isVendorKey, vendors } from '../../outgoing/vendors.ts'
import type { ComponentContext } from '../define/context.ts'
import type { ProviderKey } from '../define/field.ts'
import type { ModelSettings } from './model-answer.ts'
import { withSettings } from './model-answer.ts'
import type { ModelChoice, PickedModel } from '../define/picked-model.ts'
import { providerSetting, type ProviderSetting } from './provider-setting.ts'
import type { ModelSpec } from '../define/services.ts'
import { isVariableValue, missingVariable } from '../define/variable-value.ts'

/**
 * The provider, key and address settings for the model selected in a component's model picker.
 */
export interface ModelAccess {
  readonly picked: PickedModel
  readonly apiKey: ProviderKey
  /** Override the name and provider of the selection unless blank. */
  readonly name?: string
  readonly provider?: string
  /** Addresses configured in the node, by provider. */
  readonly addresses?: Readonly<Record<string, string>>
  readonly projectId?: string
  /**
   * True if the selection comes from the fields of older versions, which have their own error messages
   *.
   */
  readonly older?: boolean
  /** The error if nothing is selected. */
  readonly nothingChosen?: string
  /** Additional client options. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Returns the selected or connected chat model. @throws TypeError naming what is missing */
export async function chosenChatModel(
  access: ModelAccess,
  ctx: ComponentContext,
  settings: ModelSettings & { readonly streams?: boolean } = {},
): Promise<ChatModel> {
  const { picked } = access
  if (isChatModel(picked)) return connected(picked, access)
  const choice = madeChoice(access)
  const spec = await specOf(choice, access, { ctx, kind: 'language' })
  const model = await findChatModel(ctx, spec)
  const { streams = true, temperature, ...others } = settings
  return withSettings(
    model,
    {
      ...others,
      model: spec.model,
      ...(temperature === undefined || choice.reasons ? {} : { temperature }),
    },
    streams,
  )
}

/** Returns the selected or connected embedder. @throws as `chosenChatModel` */
export async function chosenEmbedder(
  access: ModelAccess,
  ctx: ComponentContext,
): Promise<Embedder> {
  const { picked } = access
  if (isEmbedder(picked)) return connected(picked, access)
  return findEmbedder(ctx, await specOf(madeChoice(access), access, { ctx, kind: 'embedding' }))
}

function connected<T>(model: T, { name = '', provider = '' }: ModelAccess): T {
  if (name !== '' || provider !== '') {
    throw new TypeError(
      'Model name/provider overrides need a model chosen in the list, not a connected one.',
    )
  }
  return model
}

function madeChoice({ picked, nothingChosen, name, provider }: ModelAccess): ModelChoice {
  if (picked === null || !('plain' in picked)) {
    throw new TypeError(nothingChosen ?? 'A model selection is required')
  }
  return {
    ...picked,
    name: name === undefined || name.trim() === '' ? picked.name : name.trim(),
    ...(provider === undefined || provider.trim() === ''
      ? {}
      : { provider: provider.trim(), plain: false }),
  }
}

interface Place {
  readonly ctx: ComponentContext
  readonly kind: 'language' | 'embedding'
}

async function specOf(
  choice: ModelChoice,
  access: ModelAccess,
  { ctx, kind }: Place,
): Promise<ModelSpec> {
  const facts = choice.plain ? providerOfModel(choice.name, kind) : findProvider(choice.provider)
  const { older = false } = access
  const provider = older ? choice.provider : (facts?.name ?? choice.provider)
  if (provider === '') {
    throw new TypeError('The selected model has no provider. Choose the model again in the list.')
  }
  const isHosted = kind === 'language' ? hostServesModels(ctx.services) : hostEmbeds(ctx.services)
  const address = await addressOf(facts, access, ctx)
  const key = await keyOf(provider, access.apiKey, {
    address: isHosted ? null : address,
    older,
    ctx,
  })
  const project =
    facts?.name === 'IBM WatsonX'
      ? await providerSetting(access.projectId ?? '', 'WATSONX_PROJECT_ID', ctx)
      : null
  if (!isHosted) {
    checkKnown(provider, facts, { key, older })
    if (facts !== undefined) checkNeeds(facts, { choice, address, project, older, kind })
  }
  return {
    provider,
    model: choice.name,
    ...(typeof key === 'string' ? { apiKey: key } : {}),
    ...(address === null || address.origin === 'default' ? {} : { baseUrl: address.value }),
    options: { ...access.options, ...(project === null ? {} : { projectId: project.value }) },
  }
}

type Address = ProviderSetting | { readonly value: string; readonly origin: 'default' } | null

async function addressOf(
  facts: ProviderMetadata | undefined,
  { addresses = {}, older = false }: ModelAccess,
  ctx: ComponentContext,
): Promise<Address> {
  const given = facts === undefined ? undefined : addresses[facts.name]
  // The default address in new nodes does not express a choice of the user.
  const own = given === undefined || given === facts?.baseUrl ? '' : given
  const found = await providerSetting(own, facts?.urlName ?? '', ctx)
  if (found !== null) return found
  if (facts?.baseUrl === undefined || (older && given === '' && NEEDS_ADDRESS.has(facts.name)))
    return null
  return { value: facts.baseUrl, origin: 'default' }
}

/** Providers without a default address for the fields of older versions. */
const NEEDS_ADDRESS: ReadonlySet<string> = new Set(['Ollama', 'IBM WatsonX'])

class MissingKey {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

interface KeyPlace {
  readonly address: Address
  readonly older: boolean
  readonly ctx: ComponentContext
}

/** Looks up the key: the node's own, the user's variable, the environment. */
async function keyOf(
  provider: string,
  given: ProviderKey,
  { address, older, ctx }: KeyPlace,
): Promise<string | MissingKey | undefined> {
  const name = keyNameOf(provider)
  const isOwn = address === null || isHome(provider, address.value)
  const isForeign = !isOwn && address.origin !== 'default' && address.origin !== 'environment'
  const refused = (variable: string): MissingKey =>
    new MissingKey(`The key ${variable} of the server is not sent to an address of the flow`)
  let withheld: MissingKey | undefined
  const usable = (setting: ProviderSetting | null): string | undefined => {
    if (setting === null || setting.value === '') return undefined
    if (setting.origin !== 'environment') {
      if (!setting.lookedUp || !isForeign || address.origin !== 'node') return setting.value
      const { host } = new URL(address.value)
      withheld ??= new MissingKey(
        `Component ${ctx.displayName} needs API Key for the address ${host}. Give it in the node, or choose the variable ${setting.name} there.`,
      )
      return undefined
    }
    if (!isForeign && (setting.name === name || !isVendorKey(setting.name))) return setting.value
    withheld ??= refused(setting.name)
    return undefined
  }
  const own = usable(await providerSetting(given, '', ctx))
  if (own !== undefined) return own
  const found = name === null ? undefined : usable(await providerSetting('', name, ctx))
  if (found !== undefined) return found
  if (withheld !== undefined) return withheld
  if (name === null || findProvider(provider)?.keyOptional === true) return undefined
  const missing =
    isVariableValue(given) && given.origin === null
      ? ` ${missingVariable(given.name, 'the field of the key')}`
      : ''
  if (older) {
    const vendor = provider === 'IBM watsonx.ai' ? 'IBM' : provider
    return new MissingKey(
      `${vendor} API key is required when using ${provider} provider${missing && `.${missing}`}`,
    )
  }
  return new MissingKey(
    `${provider} API key is required when using ${provider} provider. ` +
      `Set it in the component or in the variable ${name}.${missing}`,
  )
}

/** True for an address of the provider's vendor, and for a text that is no address. */
function isHome(provider: string, address: string): boolean {
  const vendor = vendors.find(({ providers }) => providers.includes(provider))
  return !URL.canParse(address) || (vendor !== undefined && isAddressOf(vendor, address, undefined))
}

function checkKnown(
  provider: string,
  facts: ProviderMetadata | undefined,
  { key, older }: { readonly key: string | MissingKey | undefined; readonly older: boolean },
): void {
  if (older && facts === undefined) throw new TypeError(`Unknown provider: ${provider}`)
  if (key instanceof MissingKey) throw new TypeError(key.text)
  if (facts !== undefined) return
  const known = providerTable.map(({ name }) => name).join(', ')
  throw new TypeError(`Unknown provider: ${provider}. Known: ${known}`)
}

interface Needs {
  readonly choice: ModelChoice
  readonly address: Address
  readonly project: ProviderSetting | null
  readonly older: boolean
  readonly kind: Place['kind']
}

/** Checks the settings that a provider requires besides its key. */
function checkNeeds(
  facts: ProviderMetadata,
  { choice, address, project, older, kind }: Needs,
): void {
  if (facts.name === 'Ollama') {
    need(address, 'Ollama API URL is required when using Ollama provider')
    need(choice.name, 'Model name is required when using Ollama provider')
  } else if (facts.name === 'IBM WatsonX') {
    const when = 'is required when using IBM watsonx.ai provider'
    const hint = older ? '' : '. Set it in the component or in the variable WATSONX_PROJECT_ID.'
    need(address, `IBM watsonx API Endpoint ${when}`)
    need(
      project,
      older && kind === 'embedding'
        ? 'Project ID is required for IBM watsonx.ai provider'
        : `IBM watsonx Project ID ${when}${hint}`,
    )
  } else if (address === null && facts.urlName !== undefined) {
    throw new TypeError(
      `${facts.name} needs a server address. Set it in the variable ${facts.urlName}.`,
    )
  }
}

function need(value: unknown, text: string): void {
  if (value === null || value === '') throw new TypeError(text)
}
