import type { Runtime } from '@x/wire'
import { FlowError } from '../errors.ts'
import type { ComponentServices, ModelProviders, ModelSpec } from '../components/define/services.ts'
import { checkKey } from '../outgoing/key-rules.ts'
import { modelAddress } from '../outgoing/model-address.ts'
import { openFetch } from '../outgoing/open-fetch.ts'
import { outgoingFetch } from '../outgoing/outgoing-fetch.ts'
import { createAnthropicModel } from './anthropic.ts'
import { isChatModel, type ChatModel, type Embedder, type TokenUsage } from './chat-model.ts'
import { trimSlash } from './model-options.ts'
import { createOpenAiEmbedder, createOpenAiModel } from './openai-compatible.ts'
import { findServed, type ProviderFacts } from './provider-table.ts'
import { createWatsonxEmbedder } from './watsonx-embedder.ts'
import { createWatsonxModel } from './watsonx.ts'

/** What the built-in clients need of the component that asks. */
export interface ModelHost {
  readonly services: Readonly<ComponentServices>
  readonly runtime: Runtime
  /** Told of the tokens of each answer. */
  usage?(usage: TokenUsage): void
}

/** The model of a provider and name: the host's, else the built-in client on `services.fetch` (FE-46). */
export async function findChatModel(host: ModelHost, spec: ModelSpec): Promise<ChatModel> {
  const { models } = host.services
  if (isChatModel(models)) return counted(models, host)
  return counted(
    models === undefined ? builtinChatModel(host, spec) : await models.chatModel(spec),
    host,
  )
}

/** The model, with the tokens of its answers reported to the host. */
function counted(model: ChatModel, host: ModelHost): ChatModel {
  return {
    ...(model.name === undefined ? {} : { name: model.name }),
    async *stream(request) {
      for await (const chunk of model.stream(request)) {
        if ('finish' in chunk && chunk.usage !== undefined) host.usage?.(chunk.usage)
        yield chunk
      }
    },
  }
}

/** The same for embeddings; a host that gives one chat model for everything has no embedder. */
export async function findEmbedder(host: ModelHost, spec: ModelSpec): Promise<Embedder> {
  const { models } = host.services
  if (models === undefined || isChatModel(models)) return builtinEmbedder(host, spec)
  return models.embedder(spec)
}

/** The built-in clients: a flow that chooses one of their models needs a key of its own. */
const builtIn = new WeakSet<object>()

/** Whether the host makes the models, so that keys and addresses are its business. */
export function hostServesModels({ models }: Readonly<ComponentServices>): boolean {
  return models !== undefined && !builtIn.has(models)
}

/** Whether the host makes the embedders. */
export function hostEmbeds(services: Readonly<ComponentServices>): boolean {
  return hostServesModels(services) && !isChatModel(services.models)
}

/** The built-in clients as providers, for hosts that wrap them. */
export function createModelProviders(host: ModelHost): ModelProviders {
  const providers: ModelProviders = {
    chatModel: (spec) => builtinChatModel(host, spec),
    embedder: (spec) => builtinEmbedder(host, spec),
  }
  builtIn.add(providers)
  return providers
}

function builtinChatModel(host: ModelHost, spec: ModelSpec): ChatModel {
  const client = clientOptions(host, spec)
  const facts = findServed(spec.provider)
  if (facts === undefined) throw notOffered(spec.provider)
  switch (facts.name) {
    case 'Anthropic':
      return createAnthropicModel(client)
    case 'OpenAI':
      return createOpenAiModel(client)
    case 'IBM WatsonX':
      return createWatsonxModel({ ...client, projectId: textOf(spec.options.projectId) })
    case 'Azure OpenAI':
      return createOpenAiModel({
        ...client,
        ...azureOptions(spec, client.baseUrl),
        maxTokensName: 'max_tokens',
      })
    default:
      return createOpenAiModel({
        ...client,
        baseUrl: compatibleUrl(facts, client.baseUrl),
        maxTokensName: 'max_tokens',
      })
  }
}

/** The address of a server that speaks the OpenAI protocol (MO-2). */
function compatibleUrl({ name }: ProviderFacts, url: string | undefined): string | undefined {
  if (name === 'Ollama') return ollamaUrl(url)
  if (url === undefined || url === '') throw new TypeError(`${name} needs the address of a server`)
  return name === 'Groq' && !trimSlash(url).endsWith('/openai/v1')
    ? `${trimSlash(url)}/openai/v1`
    : url
}

const AZURE_VERSION = '2024-10-21'

/** A deployment of Azure OpenAI: the key in a header of its own, the version in the address (MO-12). */
function azureOptions({ model, apiKey = '', options }: ModelSpec, baseUrl = '') {
  if (baseUrl === '') throw new TypeError('Azure OpenAI needs the address of a resource')
  const deployment = encodeURIComponent(textOf(options.deployment) || model)
  return {
    apiKey: undefined,
    baseUrl: `${trimSlash(baseUrl)}/openai/deployments/${deployment}`,
    query: { 'api-version': textOf(options.apiVersion) || AZURE_VERSION },
    headers: { ...textsOf(options.headers), 'api-key': apiKey },
    secrets: [apiKey],
    omitModel: true,
  }
}

function textOf(setting: unknown): string {
  return typeof setting === 'string' ? setting : ''
}

function builtinEmbedder(host: ModelHost, spec: ModelSpec): Embedder {
  const { dimensions, chunkSize, query } = spec.options
  const client = {
    ...clientOptions(host, spec),
    dimensions: typeof dimensions === 'number' && dimensions > 0 ? dimensions : undefined,
    chunkSize: typeof chunkSize === 'number' && chunkSize > 0 ? chunkSize : undefined,
    query: textsOf(query),
  }
  const facts = findServed(spec.provider)
  if (facts === undefined) throw notOffered(spec.provider)
  switch (facts.name) {
    case 'Anthropic':
      throw notOffered(spec.provider)
    case 'OpenAI':
      return createOpenAiEmbedder(client)
    case 'IBM WatsonX':
      return createWatsonxEmbedder({ ...client, projectId: textOf(spec.options.projectId) })
    case 'Azure OpenAI':
      return createOpenAiEmbedder({ ...client, ...azureOptions(spec, client.baseUrl) })
    default:
      return createOpenAiEmbedder({ ...client, baseUrl: compatibleUrl(facts, client.baseUrl) })
  }
}

function clientOptions({ services, runtime }: ModelHost, spec: ModelSpec) {
  const { timeoutMs, maxRetries, body, headers } = spec.options
  const { url, trusted } = modelAddress(spec.provider, spec.baseUrl, services.environment)
  checkKey(spec.apiKey, url, services.environment)
  const fetch = outgoingFetch(services)
  return {
    model: spec.model,
    apiKey: spec.apiKey,
    baseUrl: url,
    fetch: trusted ? openFetch(fetch) : fetch,
    runtime,
    timeoutMs: typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined,
    maxRetries: typeof maxRetries === 'number' && maxRetries >= 0 ? maxRetries : undefined,
    body: typeof body === 'object' && body !== null ? { ...body } : undefined,
    headers: textsOf(headers),
  }
}

/** The texts of an object; a setting of another kind counts as none. */
function textsOf(setting: unknown): Record<string, string> | undefined {
  if (typeof setting !== 'object' || setting === null) return undefined
  const texts = Object.entries(setting).filter(([, text]) => typeof text === 'string')
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

/** Ollama speaks the OpenAI protocol under /v1. */
function ollamaUrl(url = ''): string {
  return `${trimSlash(trimSlash(url).replace(/\/v1$/, ''))}/v1`
}

function notOffered(provider: string): FlowError {
  return new FlowError(
    'model_failed',
    `The provider ${provider} is not built in; give \`services.models\` to serve it`,
  )
}
