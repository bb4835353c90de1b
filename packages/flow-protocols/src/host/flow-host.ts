import {
  createBuildJobs,
  createLateStore,
  createSystemRuntime,
  type BuildJobs,
  type ComponentServices,
  type FlowPlan,
  type JobSecretBox,
  type MessageRecord,
  type MessageService,
  type Runtime,
} from '@x/flow-engine'
import { createRunMessages, graphOf, outgoingFetch } from '@x/flow-engine/internal'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import {
  createTextCipher,
  decodeBase64Url,
  encodeBase64Url,
  isObject,
  isResponse,
  pathBelow,
  readBody,
} from '@x/wire'
import { sealTicket, openTicket } from '../files/file-links.ts'
import type { DoorCall } from '../http/door-call.ts'
import { DoorError } from '../http/door-error.ts'
import type { FileBytes } from '../http/sent-files.ts'
import type { ChatKey } from '../turns/turn.ts'
import {
  TURN_OPTIONS,
  type DoorFlow,
  type EarlierMessage,
  type TurnHost,
} from '../turns/turn-host.ts'
import { Turns } from '../turns/turns.ts'
import {
  checkDoorOptions,
  compileChoice,
  type DoorContext,
  type DoorOptions,
  type DoorUser,
  type FlowChoice,
} from './door-options.ts'
import { readAuth } from './read-auth.ts'

const UNREAD_MS = 30_000
const FILE_SECONDS = 3600

/** One flow in a host's program: who may call, its runs, its files. */
export interface FlowHost {
  readonly turns: Turns
  readonly host: TurnHost
  readonly history: 'stored' | 'request'
  readonly box: JobSecretBox
  readonly fetch: typeof fetch
  /** Called with each job that runs in this process, again when it continues. */
  onContinue(listener: (jobId: string) => void): void
  readonly basePath: string
  /** The caller and the flow; a Response of the host's own, or an error. */
  admit(request: Request, context: DoorContext): Promise<DoorCall | Response>
  /** The path below `basePath`; undefined outside of it. */
  below(request: Request): string | undefined
  writeFile(call: DoorCall, key: ChatKey, file: FileBytes): Promise<string>
  ticket(call: DoorCall, path: string): Promise<string>
  openFile(ticket: string): Promise<{ readonly path: string; readonly bytes: Uint8Array } | null>
  close(): Promise<void>
}

export interface FlowHostOptions {
  readonly maker: string
  readonly basePath: string
  /** Further options of the door. */
  readonly more?: readonly string[]
  readonly ssrfAllow?: readonly string[] | undefined
}

/** @throws TypeError naming the wrong option; FlowCompileError */
export function createFlowHost(options: DoorOptions, door: FlowHostOptions): FlowHost {
  const { maker } = door
  checkDoorOptions(options, maker, door.more)
  const authenticate = readAuth(options.auth, maker)
  const runtime = options.runtime ?? createSystemRuntime()
  const store = createLateStore(options.jobs ?? createMemoryJobStore(), runtime)
  const box = createBox(options.secretKey, runtime)
  const onError = (error: unknown): void => options.onError?.(error)
  const memory = options.history ?? (options.messages === undefined ? 'request' : 'stored')
  const fixed = typeof options.flow === 'function' ? undefined : toDoorFlow(options.flow, options)
  const chosen = new WeakMap<object, DoorFlow>()
  const flowOf = async (request: Request, user: DoorUser): Promise<DoorFlow> => {
    if (fixed !== undefined || typeof options.flow !== 'function') return checkChat(fixed)
    const choice = await options.flow(request, user)
    const known = chosen.get(choice)
    const flow = known ?? toDoorFlow(choice, options)
    chosen.set(choice, flow)
    return checkChat(flow)
  }
  const services: ComponentServices = {
    ...options.services,
    ...(options.models === undefined ? {} : { models: options.models }),
    ...(options.messages === undefined ? {} : { messages: options.messages }),
  }
  const continued = new Set<(jobId: string) => void>()
  const jobs: BuildJobs = createBuildJobs({
    components: options.components,
    runtime,
    store,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    servicesOf({ metadata }) {
      const earlier = metadata?.['earlier']
      if (memory === 'stored' || !Array.isArray(earlier)) return services
      return { ...services, messages: requestMessages(earlier as EarlierMessage[], runtime) }
    },
    secrets: box,
    observer: {
      recorder(job) {
        for (const listener of continued) listener(job.id)
        return undefined
      },
    },
    onError,
  })
  const host: TurnHost = {
    jobs,
    store,
    runtime,
    onError,
    messages: () => options.messages,
    async start({ userId, flowId, chatId }, flow, run, note) {
      const { text, files, variables, earlier, keepsStates: history = false } = run
      const { id } = await jobs.start({
        flow: flow.plan,
        ...TURN_OPTIONS,
        input: { type: 'chat', value: text, ...(files.length === 0 ? {} : { files }) },
        history,
        sessionId: chatId,
        variables: { ...variables },
        userId,
        flowId,
        flowName: flow.name,
        metadata: { turn: note, ...(memory === 'request' ? { earlier } : {}) },
      })
      return id
    },
  }
  const { unreadMs = UNREAD_MS, fileUrlSeconds: seconds = FILE_SECONDS } = options
  const turns = new Turns(host, { unreadMs })
  const basePath = options.basePath ?? door.basePath
  return {
    turns,
    host,
    history: memory,
    box,
    fetch: outgoingFetch(options.services ?? {}, { allow: door.ssrfAllow ?? [] }),
    onContinue: (listener) => void continued.add(listener),
    basePath,
    async admit(request, context) {
      if (!isAllowedOrigin(request, options.allowedOrigins))
        throw new DoorError('forbidden', 'Origin not allowed')
      const user = await authenticate(request, context)
      if (isResponse(user)) return user
      if (user === null) throw missingKey()
      const flow = await flowOf(request, user)
      const call: DoorCall = {
        request,
        userId: user.userId,
        flow,
        variables: { ...(await options.variables?.(request, user)) },
        bytes: (limit) => readBody(request, Math.min(limit, options.maxBodyBytes ?? limit)),
      }
      if (typeof options.auth === 'function' || options.auth.kind !== 'none') return call
      return { ...call, enter: (chatId) => (checkChatKey(chatId), call) }
    },
    below: (request) => pathBelow(new URL(request.url).pathname, basePath === '/' ? '' : basePath),
    async writeFile(call, { flowId, chatId }, { name, bytes }) {
      const { files } = services
      if (files === undefined)
        throw new DoorError(
          'invalid_request',
          'This chat takes no files: services.files is missing.',
        )
      return await files.write(`${safe(chatId)}/${runtime.uuid()}-${name}`, bytes, {
        flowId,
        userId: call.userId,
      })
    },
    ticket: (call, path) =>
      sealTicket({ box, runtime, seconds }, { path, userId: call.userId, flowId: call.flow.id }),
    async openFile(ticket) {
      const opened = await openTicket({ box, runtime }, ticket)
      if (opened === null) return null
      const { path, userId, flowId } = opened
      const bytes = await services.files?.read(path, { userId, flowId })
      return bytes === undefined || bytes === null ? null : { path, bytes }
    },
    async close() {
      turns.close()
      await jobs.close()
    },
  }
}

export function missingKey(): DoorError {
  const headers = { 'www-authenticate': 'Bearer' }
  return new DoorError('unauthorized', 'Missing or wrong API key.', { headers })
}

/** Where no credentials are asked for, the id of a chat is its key. @throws DoorError `chat_id_too_short` */
export function checkChatKey(chatId: string): void {
  if (CHAT_KEY.test(chatId)) return
  throw new DoorError(
    'chat_id_too_short',
    'The chat id must have at least 16 characters of A-Z, a-z, 0-9, _ and -.',
  )
}

const CHAT_KEY = /^[A-Za-z0-9_-]{16,}$/

/** @throws DoorError `flow_not_chat` */
export function checkChat(flow: DoorFlow | undefined): DoorFlow {
  if (flow === undefined) throw new DoorError('flow_not_found', 'There is no flow.')
  const types = graphOf(flow.plan)?.vertices.map(({ type }) => type) ?? []
  const lacks = ['ChatOutput', 'ChatInput'].find((type) => !types.includes(type))
  if (lacks === undefined) return flow
  const name = lacks === 'ChatOutput' ? 'Chat Output' : 'Chat Input'
  const message = `This flow has no ${name}; call it with POST /api/v1/run.`
  throw new DoorError('flow_not_chat', message)
}

function toDoorFlow(
  choice: FlowChoice,
  options: Pick<DoorOptions, 'components' | 'limits' | 'services'>,
): DoorFlow {
  const plan: FlowPlan = compileChoice(choice, options)
  const json: unknown = plan.flow
  const { id, name, description } = isObject(json) ? json : {}
  const title = typeof name === 'string' && name !== '' ? name : 'Flow'
  return {
    id: typeof id === 'string' && id !== '' ? id : title,
    name: title,
    description: typeof description === 'string' ? description : '',
    version: '1',
    plan,
  }
}

/** The messages of a request, then those of its run. */
function requestMessages(earlier: readonly EarlierMessage[], runtime: Runtime): MessageService {
  const now = runtime.now().getTime()
  const rows = earlier.map(({ role, text }, n): MessageRecord => ({
    id: runtime.uuid(),
    timestamp: new Date(now - (earlier.length - n)),
    sender: role === 'user' ? 'User' : 'Machine',
    senderName: role === 'user' ? 'User' : 'AI',
    text,
    flowId: null,
    sessionId: '',
    contextId: null,
    files: [],
    error: false,
    edit: false,
    category: 'message',
    properties: {},
    contentBlocks: [],
    duration: null,
  }))
  const service = createRunMessages(rows)
  return {
    ...service,
    // Whatever session is read, it is that of the request.
    list: ({ sessionId: _session, flowId: _flow, contextId: _context, ...query }) =>
      service.list(query),
  }
}

function createBox(secretKey: string | undefined, runtime: Runtime): JobSecretBox {
  const secret =
    secretKey === undefined ? runtime.randomBytes(32) : new TextEncoder().encode(secretKey)
  const cipher = createTextCipher(secret, { info: 'doors', runtime })
  return {
    seal: async (text, context) => encodeBase64Url(await cipher.encrypt(text, context)),
    async open(sealed, context) {
      const bytes = decodeBase64Url(sealed)
      return bytes === null ? null : await cipher.decrypt(bytes, context).catch(() => null)
    },
  }
}

/** A name that is one part of a path. */
function safe(chatId: string): string {
  return chatId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)
}

/** Pages of other origins are not trusted. */
function isAllowedOrigin({ headers, url }: Request, allowed: readonly string[] = []): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(url).origin || allowed.includes(origin)
}
