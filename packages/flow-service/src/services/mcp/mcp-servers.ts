import { isObject, type Runtime } from '@x/wire'
import { orAbort } from '@x/wire'
import { connectHttpMcp } from '@x/flow-components/internal'
import type { McpService } from '@x/flow-engine'
import type { SiblingProjects } from './sibling-projects.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import type { McpServerRecord } from '../../store/mcp-servers.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'
import { retryTaken } from '../records/retry.ts'

/** An entry as configured by the user: a command with arguments and variables, or a URL. */
export type McpServerConfig = Readonly<Record<string, unknown>>

/** A server, with the number of its tools if requested. */
export interface McpServerStatus {
  readonly name: string
  readonly mode: 'Stdio' | 'SSE' | 'Streamable HTTP' | null
  readonly toolsCount: number | null
  readonly error?: string
}

/** Tool servers of a user; entries are stored encrypted. */
export interface McpServerService {
  list(caller: Caller, count: boolean, signal: AbortSignal): Promise<McpServerStatus[]>
  /** Null if it does not exist. */
  get(userId: string, name: string): Promise<McpServerConfig | null>
  /** @throws Refusal 409; 403 for a local command unless the caller is a superuser */
  add(caller: Caller, name: string, config: McpServerConfig): Promise<void>
  /** Replaces or adds. @throws Refusal 403 as `add` */
  put(caller: Caller, name: string, config: McpServerConfig): Promise<void>
  /** @throws Refusal 404 */
  remove(caller: Caller, name: string): Promise<void>
  /**
   * Connects with the user's registered entry, which overrides the one in the flow. Local commands are
   * started for superusers only, and in runs started by someone else only if registered.
   * @throws Refusal 403
   */
  readonly connector: McpService
  /** Resolves unregistered names to the user's projects. */
  offerProjects(projects: SiblingProjects): void
}

const ONE_SERVER = { kind: 'mcpServers', added: 1 } as const
const NOT_ALLOWED = 'Local commands are for superusers'
/** Maximum number of cached server sessions. */
const MAX_SESSIONS = 1000
/** Timeout for connecting to one server and listing its tools. */
const COUNT_TIMEOUT_MS = 30_000

export function createMcpServerService(
  deps: ServiceDependencies,
  inner: McpService | undefined,
  fetcher: typeof fetch | undefined,
): McpServerService {
  const { store, secrets, runtime } = deps
  const sessions = new Map<string, string>()
  let projects: SiblingProjects = () => Promise.resolve(null)
  const open = async (record: McpServerRecord): Promise<McpServerConfig | null> => {
    const text = await secrets.open(record.config, record.userId)
    const config: unknown = text === null ? null : JSON.parse(text)
    return isObject(config) ? config : null
  }
  const get = async (userId: string, name: string): Promise<McpServerConfig | null> => {
    const record = await store.mcpServers.get(userId, name)
    return record === null ? null : await open(record)
  }
  const record = async (caller: Caller, name: string, config: McpServerConfig) => ({
    userId: caller.id,
    name,
    config: await secrets.seal(JSON.stringify(config), caller.id),
    createdAt: runtime.now(),
    updatedAt: runtime.now(),
  })
  const allowCommand = async (
    { userId, isForeign = false }: { userId?: string; isForeign?: boolean },
    isRegistered: boolean,
  ): Promise<void> => {
    const owner = userId === undefined ? null : await store.users.get(userId)
    if (owner?.isSuperuser !== true || (isForeign && !isRegistered)) throw refuse(403, NOT_ALLOWED)
  }
  const checkEntry = (caller: Caller, config: McpServerConfig): void => {
    if (isLocalCommand(config) && !caller.isSuperuser) throw refuse(403, NOT_ALLOWED)
  }
  const connector: McpService = {
    async connect(server, options) {
      const { userId, sessionId = '', signal } = options
      const registered = userId === undefined ? null : await get(userId, server.name)
      const sibling = registered === null ? await projects(server, options) : null
      if (sibling !== null) return sibling
      const config = registered ?? server.config
      if (isLocalCommand(config)) await allowCommand(options, registered !== null)
      const chosen = { name: server.name, ...(config === undefined ? {} : { config }) }
      if (inner !== undefined) return await inner.connect(chosen, options)
      if (sessions.size > MAX_SESSIONS) sessions.clear()
      const sessionKey = `${userId ?? ''}_${sessionId}_${server.name}`
      return await connectHttpMcp(config, { fetch: fetcher, signal, sessions, sessionKey })
    },
  }

  return {
    get,
    connector,
    offerProjects(given) {
      projects = given
    },
    async list(caller, count, signal) {
      const records = await store.mcpServers.list(caller.id)
      return await Promise.all(
        records.map(async (one) => {
          const config = await open(one)
          const status = { name: one.name, mode: modeOf(config), toolsCount: null }
          return count
            ? await counted(connector, status, { userId: caller.id, signal, runtime })
            : status
        }),
      )
    },
    async add(caller, name, config) {
      checkEntry(caller, config)
      try {
        const made = await record(caller, name, config)
        await deps.userLimits.within(caller.id, ONE_SERVER, () => store.mcpServers.insert(made))
      } catch (error) {
        if (isUniqueConflict(error)) throw refuse(409, 'Server already exists.', { cause: error })
        throw error
      }
    },
    async put(caller, name, config) {
      checkEntry(caller, config)
      const made = await record(caller, name, config)
      await retryTaken(['mcpServer.name'], async () => {
        if (!(await store.mcpServers.update(caller.id, name, made)))
          await deps.userLimits.within(caller.id, ONE_SERVER, () => store.mcpServers.insert(made))
      })
    },
    async remove(caller, name) {
      if (!(await store.mcpServers.remove(caller.id, name))) {
        throw refuse(404, 'Server not found.')
      }
    },
  }
}

/** A server that is started on this machine. */
function isLocalCommand(config: object | null | undefined): boolean {
  return isObject(config) && 'command' in config && config['command'] !== null
}

function modeOf(config: McpServerConfig | null): McpServerStatus['mode'] {
  if (typeof config?.['command'] === 'string') return 'Stdio'
  if (typeof config?.['url'] !== 'string') return null
  return /\/sse\/?$/.test(config['url']) ? 'SSE' : 'Streamable HTTP'
}

/** Reports unreachable servers without revealing secrets. */
async function counted(
  connector: McpService,
  status: McpServerStatus,
  { userId, signal, runtime }: { userId: string; signal: AbortSignal; runtime: Runtime },
): Promise<McpServerStatus> {
  const answered = new AbortController()
  const late = new AbortController()
  runtime.sleep(COUNT_TIMEOUT_MS, answered.signal).then(
    () => late.abort(),
    () => undefined,
  )
  const limits = { userId, signal: AbortSignal.any([signal, late.signal]) }
  try {
    const count = countTools(connector, status.name, limits)
    // A connector may ignore its signal; it must not block the list.
    return { ...status, toolsCount: await orAbort(count, limits.signal) }
  } catch {
    return { ...status, error: 'The server cannot be reached' }
  } finally {
    answered.abort()
  }
}

async function countTools(
  connector: McpService,
  name: string,
  options: { userId: string; signal: AbortSignal },
): Promise<number> {
  const client = await connector.connect({ name }, options)
  try {
    return (await client.listTools()).length
  } finally {
    await client.close().catch(() => undefined)
  }
}
