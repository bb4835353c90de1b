import type { Runtime } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { FlowError } from '../errors.ts'
import { callReporterOf, reportedCall, type OpenCall } from '../components/define/call-reporter.ts'
import type { ComponentServices, ModelProviders, ModelSpec } from '../components/define/services.ts'
import { checkKey } from '../outgoing/key-rules.ts'
import { modelAddress } from '../outgoing/model-address.ts'
import { openFetch } from '../outgoing/open-fetch.ts'
import { outgoingFetch, rulesOf } from '../outgoing/outgoing-fetch.ts'
import { createAnthropicModel } from './anthropic.ts'
import {
  isChatModel,
  type ChatChunk,
  type ChatMessage,
  type ChatModel,
  type ChatRequest,
  type Embedder,
  type ToolCall,
  type TokenUsage,
} from './chat-model.ts'
import { budgetedEmbedder, budgetedStream } from './budgeted.ts'
import { createOpenAiEmbedder, createOpenAiModel } from './openai-compatible.ts'
import { findServed, type ProviderMetadata } from './provider-table.ts'
import { createWatsonxEmbedder } from './watsonx-embedder.ts'
import { createWatsonxModel } from './watsonx.ts'

/** The part of a component's context that the built-in clients use. */
export interface ModelHost {
  readonly services: Readonly<ComponentServices>
  readonly runtime: Runtime
  /** Called with the token usage of each response. */
  usage?(usage: TokenUsage): void
}

/** Returns a chat model: the host's, else the built-in client using `services.fetch`. */
export async function findChatModel(host: ModelHost, spec: ModelSpec): Promise<ChatModel> {
  const { models } = host.services
  if (isChatModel(models)) return counted(models, host, spec)
  const own = ownClients(host)
  const made = own === undefined ? await models?.chatModel(spec) : builtinChatModel(own, spec)
  if (made === undefined) throw notOffered(spec.provider)
  return counted(made, host, spec)
}

/** Reports the model's token usage to the host. */
function counted(model: ChatModel, host: ModelHost, spec: ModelSpec): ChatModel {
  return {
    ...(model.name === undefined ? {} : { name: model.name }),
    stream: (request) =>
      budgetedStream(host, spec, {
        request,
        make: (asked) => reportedStream(model, asked, { host, spec }),
      }),
  }
}

/** Streams the model's answer; hooks observe the call, if there are any. */
function reportedStream(
  model: ChatModel,
  request: ChatRequest,
  { host, spec }: { readonly host: ModelHost; readonly spec: ModelSpec },
): AsyncIterable<ChatChunk> {
  const { provider, model: name } = spec
  const call = callReporterOf(host)?.open({
    kind: 'model',
    name: request.model ?? name,
    ...(provider === '' ? {} : { provider }),
    model: request.model ?? name,
    input: () => request.messages,
  })
  return call === undefined ? model.stream(request) : chunksWithin(call, model.stream(request))
}

async function* chunksWithin(
  call: OpenCall,
  chunks: AsyncIterable<ChatChunk>,
): AsyncGenerator<ChatChunk> {
  const iterator = chunks[Symbol.asyncIterator]()
  let usage: TokenUsage | undefined
  let text = ''
  const toolCalls: ToolCall[] = []
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await call.around(() => iterator.next())
      isOver = done === true
      if (isOver) break
      const chunk = value as ChatChunk
      if ('finish' in chunk) usage = chunk.usage
      else if (call.wantsContent && 'text' in chunk) text += chunk.text
      else if (call.wantsContent && 'toolCall' in chunk) toolCalls.push(chunk.toolCall)
      yield chunk
    }
  } catch (error) {
    isOver = true
    call.ended({ error, usage })
    throw error
  } finally {
    const answer = { role: 'assistant', content: text, toolCalls } satisfies ChatMessage
    call.ended({ usage, output: [answer] })
    // The consumer stopped early, so the model's stream must be closed.
    if (!isOver) await iterator.return?.()
  }
}

/** Returns an embedder likewise; if the host supplies a single chat model, the built-in embedder is used. */
export async function findEmbedder(host: ModelHost, spec: ModelSpec): Promise<Embedder> {
  const { models } = host.services
  const others = isChatModel(models) ? undefined : models
  const own = others === undefined ? host : ownClients(host)
  const made = own === undefined ? await others?.embedder(spec) : builtinEmbedder(own, spec)
  if (made === undefined) throw notOffered(spec.provider)
  const counting = budgetedEmbedder(made, host, spec)
  return callReporterOf(host) === undefined ? counting : reportedEmbedder(counting, host, spec)
}

function reportedEmbedder(embedder: Embedder, host: ModelHost, spec: ModelSpec): Embedder {
  const { provider, model } = spec
  const facts = { kind: 'embedding', name: model, provider, model } as const
  return {
    embed: (texts, signal) => reportedCall(host, facts, () => embedder.embed(texts, signal)),
    ...(embedder.embedQuery === undefined
      ? {}
      : {
          embedQuery: (text: string, signal?: AbortSignal) =>
            reportedCall(
              host,
              facts,
              async () => (await embedder.embedQuery?.(text, signal)) ?? [],
            ),
        }),
  }
}

/** Providers backed by the built-in clients, whose models need a key of the flow. */
const builtIn = new WeakMap<object, ModelHost>()

/** The host of the built-in clients, with the run's own fetch; undefined if the host has other models. */
function ownClients(host: ModelHost): ModelHost | undefined {
  const { models, fetch } = host.services
  if (models === undefined) return host
  const made = builtIn.get(models)
  if (made === undefined || fetch === undefined) return made
  return { runtime: host.runtime, services: { ...made.services, fetch } }
}

/** Tests whether the host creates the models. The host is then responsible for keys and addresses. */
export function hostServesModels({ models }: Readonly<ComponentServices>): boolean {
  return models !== undefined && !builtIn.has(models)
}

/** Tests whether the host creates the embedders. */
export function hostEmbeds(services: Readonly<ComponentServices>): boolean {
  return hostServesModels(services) && !isChatModel(services.models)
}

/** Returns the built-in clients as providers, for hosts that wrap them. */
export function createModelProviders(host: ModelHost): ModelProviders {
  const providers: ModelProviders = {
    chatModel: (spec) => builtinChatModel(host, spec),
    embedder: (spec) => builtinEmbedder(host, spec),
  }
  builtIn.set(providers, host)
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

/** Returns the address of an OpenAI-compatible server. */
function compatibleUrl({ name }: ProviderMetadata, url: string | undefined): string | undefined {
  if (name === 'Ollama') return ollamaUrl(url)
  if (url === undefined || url === '') throw new TypeError(`${name} needs a server address`)
  return name === 'Groq' && !trimSlashes(url).endsWith('/openai/v1')
    ? `${trimSlashes(url)}/openai/v1`
    : url
}

const AZURE_VERSION = '2024-10-21'

/** Options of an Azure OpenAI deployment: the key has its own header, the version is in the URL. */
function azureOptions({ model, apiKey = '', options }: ModelSpec, baseUrl = '') {
  if (baseUrl === '') throw new TypeError('Azure OpenAI needs the address of a resource')
  const deployment = encodeURIComponent(textOf(options.deployment) || model)
  return {
    apiKey: undefined,
    baseUrl: `${trimSlashes(baseUrl)}/openai/deployments/${deployment}`,
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
  const { environment } = services
  const { url, trusted, isDefault } = modelAddress(spec.provider, spec.baseUrl, environment)
  if (isDefault) requireKey(spec)
  checkKey(spec.apiKey, url, {
    environment: environment ?? {},
    isOwn: rulesOf(services.fetch).isOwn,
  })
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

/**
 * Vendors refuse every request without a key; a server at another address may not need one.
 * @throws TypeError `<provider> API key is required`
 */
function requireKey({ provider, apiKey = '', options }: ModelSpec): void {
  const facts = findServed(provider)
  if (apiKey.trim() !== '' || facts?.keyName == null || facts.keyOptional === true) return
  const names = Object.keys(textsOf(options.headers) ?? {}).map((name) => name.toLowerCase())
  if (names.includes('authorization') || names.includes('x-api-key')) return
  throw new TypeError(`${facts.name} API key is required`)
}

/** Keeps the string properties of an object; undefined for other settings. */
function textsOf(setting: unknown): Record<string, string> | undefined {
  if (typeof setting !== 'object' || setting === null) return undefined
  const texts = Object.entries(setting).filter(([, text]) => typeof text === 'string')
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

/** Ollama serves the OpenAI API under /v1. */
function ollamaUrl(url = ''): string {
  return `${trimSlashes(trimSlashes(url).replace(/\/v1$/, ''))}/v1`
}

function notOffered(provider: string): FlowError {
  return new FlowError(
    'model_failed',
    `The provider ${provider} is not built in; supply it through \`services.models\``,
  )
}
