import type { AgentCard } from '@a2a-js/sdk'
import { isObject, json } from '@x/wire'
import type { DoorCall } from '../http/door-call.ts'
import { DoorError } from '../http/door-error.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { eventResponse } from '../http/event-response.ts'
import { loadSdk, type A2aSdk } from './a2a-sdk.ts'
import { agentCard, isLegacy, legacyCard, type CardOffers } from './agent-card.ts'
import { activated, createTaskHandler } from './task-handler.ts'
import { publicKeyOf, type SigningKey } from './signing-key.ts'
import { TaskPush, type PushHost } from './task-push.ts'

/** What a host adds to the protocol. */
export interface A2aDoorExtras {
  readonly push?: PushHost
  /** Signs the cards of version 1.0. */
  readonly signingKey?: SigningKey | undefined
}

/** A2A over turns: JSON-RPC of 1.0 and 0.3. */
export class A2aDoor {
  readonly #parts: DoorParts
  #sdk: Promise<A2aSdk> | undefined

  readonly #push: TaskPush | undefined

  readonly #signingKey: SigningKey | undefined

  constructor(parts: DoorParts, { push, signingKey }: A2aDoorExtras = {}) {
    this.#parts = parts
    this.#signingKey = signingKey
    const sdk = (): Promise<A2aSdk> => (this.#sdk ??= loadSdk())
    this.#push = push === undefined ? undefined : new TaskPush(parts, push, sdk)
  }

  /** Notifies other agents about a task until it ends or asks, if the host offers that and the task has settings. */
  follow(turnId: string): void {
    this.#push?.follow(turnId)
  }

  /** Ends what notifies. */
  close(): void {
    this.#push?.close()
  }

  /** False if `@a2a-js/sdk` is not installed; the host is told once. */
  async isThere(): Promise<boolean> {
    try {
      await (this.#sdk ??= loadSdk())
      return true
    } catch (error) {
      if (this.#sdk !== undefined) this.#parts.host.onError(error)
      this.#sdk = Promise.reject(error)
      this.#sdk.catch(() => undefined)
      return false
    }
  }

  /** @param options `url` of the endpoint, `keysUrl` of what `keys` answers */
  async card(
    { request, flow }: DoorCall,
    { url, keysUrl }: { readonly url: string; readonly keysUrl: string },
  ): Promise<Response> {
    const sdk = await (this.#sdk ??= loadSdk())
    const offers = this.#offers()
    const card = isLegacy(request.headers)
      ? legacyCard(flow, url, offers)
      : sdk.AgentCard.toJSON(await this.#signed(sdk, agentCard(flow, url, offers), keysUrl))
    return json(request, card, {
      headers: { vary: 'A2A-Version', 'cache-control': 'private, max-age=60' },
    })
  }

  /** The public keys of signed cards. @throws DoorError `not_found` if cards are not signed */
  keys(request: Request): Response {
    if (this.#signingKey === undefined)
      throw new DoorError('not_found', 'The cards of this server are not signed.')
    const headers = { 'cache-control': 'max-age=3600' }
    return json(request, { keys: [publicKeyOf(this.#signingKey)] }, { headers })
  }

  async #signed(sdk: A2aSdk, card: AgentCard, jku: string): Promise<AgentCard> {
    const key = this.#signingKey
    if (key === undefined) return card
    const { alg, kid } = key
    return await sdk.generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', jku })(card)
  }

  #offers(): CardOffers {
    return { surfaces: this.#parts.surfaces, pushes: this.#push !== undefined }
  }

  async post(call: DoorCall, url: string): Promise<Response> {
    const sdk = await (this.#sdk ??= loadSdk())
    const { request } = call
    const legacy = isLegacy(request.headers)
    const body = parse(await call.bytes(this.#parts.maxBodyBytes))
    if (body === undefined) return rpcError(request, -32700, 'The body is not JSON.')
    if (!isObject(body) || Array.isArray(body) || body['jsonrpc'] !== '2.0')
      return rpcError(request, -32600, 'The body is no JSON-RPC request.')
    const gone = new AbortController()
    const signal = AbortSignal.any([request.signal, gone.signal])
    const parts = this.#parts
    const handler = createTaskHandler({ sdk, parts, call, url, signal, push: this.#push })
    const map = (error: unknown): object => {
      if (!(error instanceof sdk.A2AError)) parts.host.onError(error)
      return legacy
        ? sdk.LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : sdk.JsonRpcTransportHandler.mapToJSONRPCError(error)
    }
    const id = body['id'] ?? null
    const failed = (error: unknown): object => ({ jsonrpc: '2.0', id, error: map(error) })
    const version = request.headers.get('a2a-version')
    try {
      const context = new sdk.ServerCallContext(version ? { requestedVersion: version } : {})
      sdk.validateVersion(context.requestedVersion, agentCard(call.flow, url), 'JSONRPC')
      const transport = legacy
        ? new sdk.LegacyJsonRpcTransportHandler(handler)
        : new sdk.JsonRpcTransportHandler(handler)
      const answer = await transport.handle(body, context)
      const echo = activated(parts, request)
      const headers = echo === undefined ? {} : { 'a2a-extensions': echo.uri }
      if (!(Symbol.asyncIterator in answer)) return json(request, answer, { headers })
      const iterator: AsyncIterator<unknown> = answer[Symbol.asyncIterator]()
      const first = await iterator.next()
      const texts = async function* (): AsyncGenerator<string> {
        try {
          for (let item = first; item.done !== true; item = await iterator.next())
            yield sse(item.value)
        } catch (error) {
          if (!signal.aborted) yield sse(failed(error))
        } finally {
          gone.abort()
          await iterator.return?.()
        }
      }
      const { runtime } = parts.host
      const left = (): void => gone.abort()
      return eventResponse(texts, { request, runtime, headers, left })
    } catch (error) {
      gone.abort()
      return json(request, failed(error))
    }
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

function rpcError(request: Request, code: number, message: string): Response {
  return json(request, { jsonrpc: '2.0', id: null, error: { code, message } })
}

/** An error before the method: its status, and a JSON-RPC error as the body. */
export function rpcErrorResponse(request: Request, error: DoorError): Response {
  const { status, message, code, headers } = error
  const body = { jsonrpc: '2.0', id: null, error: { code: -32600, message, data: { code } } }
  return json(request, body, {
    status,
    headers: { 'cache-control': 'no-store', 'x-error-code': code, ...headers },
  })
}

function sse(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
