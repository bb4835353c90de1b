import { createSystemRuntime, type EventSource } from '@x/wire'
import { createFlowEvents, type FlowEvents } from './events.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { createHandler } from './http/handler.ts'
import { routes } from './http/routes/index.ts'
import type { FlowEngineOptions, HostContext } from './options.ts'
import { createCoreServices } from './services/core-services.ts'
import type { ServiceKit } from './services/kit.ts'
import { createSecretBox } from './services/secrets.ts'
import type { FlowServices } from './services/services.ts'
import { createTokens } from './services/tokens.ts'
import { resolveSettings } from './settings.ts'

/** A flow service in process. */
export interface FlowEngine {
  /** The HTTP interface; never rejects. */
  readonly handler: (request: Request, context?: HostContext) => Promise<Response>
  /** The same rules without HTTP. */
  readonly services: FlowServices
  readonly events: EventSource<FlowEvents>
  /** Stores what is still in memory. */
  close(): Promise<void>
}

const LEAST_SECRET = 32

/**
 * Makes a flow service over the given storage.
 * @throws TypeError for settings that contradict each other, or a secret key under 32 characters
 */
export function createFlowEngine(options: FlowEngineOptions): FlowEngine {
  const kit = createKit(options)
  const services: FlowServices = createCoreServices(kit.kit, options)
  const authenticate = createAuthenticate(kit.kit, services, options.authenticate)
  const { settings, report } = kit.kit
  return {
    handler: createHandler({ routes, services, settings, authenticate, report }),
    services,
    events: kit.events,
    close: () => services.apiKeys.flush(),
  }
}

function createKit(options: FlowEngineOptions): {
  kit: ServiceKit
  events: EventSource<FlowEvents>
} {
  const runtime = options.runtime ?? createSystemRuntime()
  const secretKey = secretBytes(options.secretKey)
  const report: ServiceKit['report'] = (error, info = {}) => options.onError?.(error, info)
  const { source, emit } = createFlowEvents((error) => report(error))
  const kit: ServiceKit = {
    store: options.store,
    files: options.files,
    runtime,
    settings: resolveSettings(options.settings),
    secrets: options.secrets ?? createSecretBox(secretKey, runtime),
    tokens: createTokens(secretKey, runtime),
    passwords: options.passwords,
    flowFiles: options.flowFiles,
    emit,
    report,
    cancelBuilds: async () => undefined,
  }
  return { kit, events: source }
}

function secretBytes(key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key
  if (bytes.length < LEAST_SECRET) {
    throw new TypeError(`secretKey must be at least ${LEAST_SECRET} characters long`)
  }
  return bytes
}
