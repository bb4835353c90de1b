import {
  compileFlow,
  isFlowError,
  type ComponentRegistry,
  type ComponentServices,
  type FlowDraft,
  type FlowJson,
  type FlowPlan,
  type MessageService,
  type RunLimits,
  type Runtime,
} from '@x/flow-engine'
import type { JobStore } from '@x/flow-engine/store'
import { checkBasePath } from '@x/wire'
import type { DoorSurfaces } from '../parts/door-surfaces.ts'

/** Facts about a request that only the host knows. */
export interface DoorContext {
  readonly clientAddress?: string
  readonly requestId?: string
}

/** An authenticated caller. */
export interface DoorUser {
  /** The owner of the chats. */
  readonly userId: string
}

/** Identifies the caller. Null: missing credentials (401). A Response is sent as it is. */
export type DoorAuthenticate = (
  request: Request,
  context: DoorContext,
) => DoorUser | null | Response | Promise<DoorUser | null | Response>

/** The callers that a handler accepts. */
export type DoorAuth =
  /** Callers with one of these tokens, as `Authorization: Bearer` or `x-api-key`; at least 16 characters. */
  | { readonly kind: 'token'; readonly token: string | readonly string[] }
  /** Everyone; a chat id is then the key to its chat, and has at least 16 characters of `[A-Za-z0-9_-]`. */
  | { readonly kind: 'none' }
  | DoorAuthenticate

export type FlowChoice = FlowJson | FlowPlan | FlowDraft

/** Options of a handler that serves one flow. */
export interface DoorOptions {
  /** The flow, or a function that chooses it for a request. */
  readonly flow:
    | FlowChoice
    | ((request: Request, user: DoorUser) => FlowChoice | Promise<FlowChoice>)
  readonly components: ComponentRegistry
  /** The accepted callers. Required: there is no default. */
  readonly auth: DoorAuth
  /** Where the handler is mounted. */
  readonly basePath?: string
  /** Default: in memory, so that a turn outlives a reload, not the process. */
  readonly jobs?: JobStore
  /** Stores conversations. Without it, memory sees the messages of the request. */
  readonly messages?: MessageService
  /** A model, or models by provider. */
  readonly models?: NonNullable<ComponentServices['models']>
  readonly services?: ComponentServices
  /** Variables of the runs of a request. */
  readonly variables?: (
    request: Request,
    user: DoorUser,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** `request`: memory sees the messages of the request. Default: `stored` with `messages`. */
  readonly history?: 'stored' | 'request'
  /** Milliseconds after which a turn that nobody reads is cancelled; null: never. Default 30,000. */
  readonly unreadMs?: number | null
  /** Seals variables, answers and addresses of files; at least 32 characters. Default: random. */
  readonly secretKey?: string
  /** Seconds that an address of a file is good for. Default 3,600. */
  readonly fileUrlSeconds?: number
  readonly limits?: Partial<RunLimits>
  /** Bytes of a request. Default 32 MB. */
  readonly maxBodyBytes?: number
  /** Page origins that may call, in addition to the server's own. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Sends what models think before they answer. Default true. */
  readonly reasoning?: boolean
  /** Shows the surfaces in answers: `createSurfaceParts()` of `@x/surface-protocol/llm`. Default: they are text. */
  readonly surfaces?: DoorSurfaces
  readonly runtime?: Runtime
  /** Called with unexpected errors. */
  onError?(error: unknown): void
}

/** Names of the options, for the check of unknown ones. */
const NAMES: ReadonlySet<string> = new Set<keyof DoorOptions>([
  'flow',
  'components',
  'auth',
  'basePath',
  'jobs',
  'messages',
  'models',
  'services',
  'variables',
  'history',
  'unreadMs',
  'secretKey',
  'fileUrlSeconds',
  'limits',
  'maxBodyBytes',
  'allowedOrigins',
  'reasoning',
  'surfaces',
  'runtime',
  'onError',
])

const MIN_SECRET = 32

/**
 * Checks the options.
 * @param maker name of the function, for errors
 * @param more names of further options of this door
 * @throws TypeError naming the option; FlowCompileError for a flow that cannot run
 */
export function checkDoorOptions(
  options: DoorOptions,
  maker: string,
  more: readonly string[] = [],
): void {
  for (const name of Object.keys(options))
    if (!NAMES.has(name) && !more.includes(name))
      throw new TypeError(`${maker} has no option ${name}`)
  const wrong = (name: keyof DoorOptions, choice: string): TypeError =>
    new TypeError(`${maker}: ${name} must be ${choice}`)
  const { unreadMs, maxBodyBytes, fileUrlSeconds, history, secretKey, reasoning } = options
  if (
    typeof options.flow !== 'function' &&
    (typeof options.flow !== 'object' || options.flow === null)
  )
    throw wrong('flow', 'a flow, or a function that returns one')
  if (typeof options.components?.get !== 'function')
    throw wrong('components', 'a registry, see createRegistry')
  if (unreadMs !== undefined && unreadMs !== null && !(Number.isFinite(unreadMs) && unreadMs >= 0))
    throw wrong('unreadMs', 'a number of milliseconds, or null')
  for (const [name, value] of Object.entries({ maxBodyBytes, fileUrlSeconds }))
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw wrong(name as keyof DoorOptions, 'a positive integer')
  if (history !== undefined && history !== 'stored' && history !== 'request')
    throw wrong('history', 'stored or request')
  if (history === 'stored' && options.messages === undefined)
    throw new TypeError(`${maker}: history stored needs messages`)
  if (secretKey !== undefined && (typeof secretKey !== 'string' || secretKey.length < MIN_SECRET))
    throw wrong('secretKey', `a text of at least ${MIN_SECRET} characters`)
  if (reasoning !== undefined && typeof reasoning !== 'boolean')
    throw wrong('reasoning', 'true or false')
  if (options.surfaces !== undefined && typeof options.surfaces?.reader !== 'function')
    throw wrong('surfaces', 'made by createSurfaceParts')
  if (options.jobs !== undefined && options.jobs.queue.list === undefined)
    throw wrong('jobs', 'a store that lists jobs')
  const { basePath } = options
  if (basePath !== undefined) {
    const checked = checkBasePath(basePath)
    if ('problem' in checked) throw new TypeError(`${maker}: basePath ${checked.problem}`)
  }
}

/** @throws FlowCompileError; TypeError if `given` is no flow */
export function compileChoice(
  given: FlowChoice,
  { components, limits, services }: Pick<DoorOptions, 'components' | 'limits' | 'services'>,
): FlowPlan {
  if ('vertexIds' in given) return given as FlowPlan
  try {
    return compileFlow(given, {
      components,
      ...(limits === undefined ? {} : { limits }),
      customCode: services?.codeRunner !== undefined,
    })
  } catch (error) {
    if (isFlowError(error)) throw error
    throw new TypeError('flow must be a flow', { cause: error })
  }
}
