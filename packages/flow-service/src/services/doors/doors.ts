import {
  isFlowError,
  type BuildJobs,
  type BuildRequest,
  type ComponentServices,
} from '@x/flow-engine'
import { outgoingFetch } from '@x/flow-engine/internal'
import type { JobStore } from '@x/flow-engine/store'
import {
  A2aDoor,
  AgUiDoor,
  ChatDoor,
  checkChat,
  DoorError,
  MAX_BODY,
  openTicket,
  pathOfTicket,
  sealTicket,
  storeSentFiles,
  TURN_OPTIONS,
  Turns,
  type DoorCall,
  type DoorFlow,
  type DoorParts,
  type FileBytes,
  type FileTicket,
  type TurnHost,
} from '@x/flow-protocols/internal'
import { isObject } from '@x/wire'
import type { StoredEngineOptions } from '../../options.ts'
import type { FlowRecord } from '../../store/flows.ts'
import type { ChatFlows } from '../answers/chat-flows.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { formatAddress } from '../files/file-address.ts'
import type { FileService } from '../files/files.ts'
import type { VisitorQueue } from '../builds/visitor-queue.ts'
import { asksPerson } from '../runs/asking-flows.ts'
import type { BuildMetadata } from '../runs/build-metadata.ts'
import type { RunOwnerInfo } from '../runs/run-owner-info.ts'
import type { Runner } from '../runs/runner.ts'
import { resolveDoorOptions } from './door-options.ts'
import { createVisitorCalls } from './visitor-calls.ts'

/** A request to a door, without its flow. */
export type DoorRequest = Omit<DoorCall, 'flow' | 'userId'>

/** A file that a ticket opens. */
export interface TicketFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** Flows as backends of front ends and agents. */
export interface DoorServices {
  readonly chat: ChatDoor
  readonly agUi: AgUiDoor
  readonly a2a: A2aDoor
  /** Id or endpoint name of the flow whose card is that of the server. */
  readonly rootFlow: string | undefined
  /**
   * The call of one of the caller's flows, by id or endpoint name.
   * @throws DoorError `flow_not_found`, `flow_not_chat`
   */
  call(caller: Caller, name: string, request: DoorRequest): Promise<DoorCall>
  /** Called for each run of a job: one that continues goes on with its notifications. */
  continued(jobId: string, request: BuildRequest): void
  /** True if a door answers requests without credentials for public flows. */
  takesVisitors(door: 'aiSdk' | 'agUi'): boolean
  /**
   * The call of somebody without credentials for a public flow, by its id.
   * @throws DoorError `unauthorized`, `flow_not_chat`; FlowError for a flow that asks a person
   */
  visit(name: string, request: DoorRequest, address: string | undefined): Promise<DoorCall>
  /** @throws DoorError `file_not_found` */
  file(ticket: string): Promise<TicketFile>
  close(): void
}

export interface DoorServicesOptions {
  readonly deps: ServiceDependencies
  readonly options: Pick<StoredEngineOptions, 'aiSdk' | 'agUi' | 'a2a' | 'ssrfAllow' | 'services'>
  readonly jobs: BuildJobs
  readonly runner: Pick<Runner, 'enqueue'>
  readonly store: JobStore
  readonly chatFlows: ChatFlows
  readonly servicesOf: (scope: RunOwnerInfo) => ComponentServices
  readonly files: FileService
  readonly visitors: VisitorQueue
}

export function createDoorServices({
  deps,
  options,
  jobs,
  runner,
  store,
  chatFlows,
  servicesOf,
  files,
  visitors: visitorQueue,
}: DoorServicesOptions): DoorServices {
  const { runtime, secrets: box, settings } = deps
  const publicTimeoutMs = settings.publicBuildSeconds * 1000
  const { ssrfAllow: allow = [], services = {} } = options
  const outgoing = outgoingFetch(services, { allow })
  const chatOptions = resolveDoorOptions(options.aiSdk)
  const agUiOptions = resolveDoorOptions(options.agUi)
  const visitors = createVisitorCalls(deps)
  const scopeOf = (ownerId: string, flowId: string): RunOwnerInfo => ({
    ownerId,
    storedFlowId: flowId,
    isPublic: false,
    runFlowId: flowId,
  })
  const scopeAt = (userId: string, flowId: string): RunOwnerInfo => {
    const visitor = visitors.of(flowId)
    return visitor === undefined ? scopeOf(userId, flowId) : visitors.scopeOf(visitor, flowId)
  }
  const host: TurnHost = {
    jobs,
    store,
    runtime,
    onError: (error) => deps.report(error),
    messages: ({ userId, flowId }) => servicesOf(scopeAt(userId, flowId)).messages,
    async start({ userId, flowId, chatId }, flow, run, turn) {
      const visitor = visitors.of(flowId)
      const metadata: BuildMetadata = {
        ownerId: userId,
        storedFlowId: visitor?.storedFlowId ?? flowId,
        isPublic: visitor !== undefined,
        logBuilds: true,
        form: 'run',
        door: 'chat',
        earlier: run.earlier,
      }
      const build: BuildRequest = {
        flow: flow.plan,
        ...TURN_OPTIONS,
        input: {
          type: 'chat',
          value: run.text,
          ...(run.files.length === 0 ? {} : { files: run.files }),
        },
        history: run.keepsStates ?? false,
        sessionId: chatId,
        variables: { ...run.variables },
        userId,
        flowId,
        flowName: flow.name,
        ...run.origin,
        metadata: { ...metadata, turn },
      }
      if (visitor === undefined) return (await runner.enqueue(build)).id
      const { address } = visitor
      const limited = { ...build, lane: 'public', timeoutMs: publicTimeoutMs }
      const start = () => runner.enqueue(limited)
      return (await visitorQueue.start({ clientId: chatId, address }, start)).id
    },
  }
  const ticketOptions = { box, runtime, seconds: chatOptions.fileUrlSeconds }
  const filesAt = (request: Request): string => `${publicBase(request, settings)}/api/ai/v1/files/`
  const storeFile = async (call: DoorCall, { name, bytes }: FileBytes): Promise<string> => {
    const { id: flowId } = call.flow
    if (visitors.of(flowId) === undefined)
      return formatAddress({ id: flowId, name: await files.upload(flowId, { name, bytes }) })
    const own = servicesOf(scopeAt(call.userId, flowId)).files
    if (own === undefined) throw new TypeError('The service keeps files')
    const { userId } = call
    return await own.write(`${runtime.uuid()}-${name}`, bytes, { flowId, userId })
  }
  const fileUrl = async ({ request, userId, flow }: DoorCall, path: string): Promise<string> => {
    const publicFlowId = visitors.of(flow.id)?.storedFlowId
    const ticket = await sealTicket(ticketOptions, { path, userId, flowId: flow.id, publicFlowId })
    return `${filesAt(request)}${ticket}`
  }
  const storeFiles: DoorParts['storeFiles'] = (call, _key, sent) => {
    const { userId } = call
    const { id: flowId } = call.flow
    const base = filesAt(call.request)
    return storeSentFiles(sent, {
      ownPath: (url) => pathOfTicket({ box, runtime }, { url, base, userId, flowId }),
      write: (file) => storeFile(call, file),
    })
  }
  const opened: Turns[] = []
  const partsOf = ({ unreadMs, history, reasoning, surfaces }: typeof chatOptions): DoorParts => {
    const turns = new Turns(host, { unreadMs })
    opened.push(turns)
    return {
      host,
      turns,
      history,
      reasoning,
      surfaces,
      maxBodyBytes: MAX_BODY,
      storeFiles,
      fileUrl,
    }
  }
  const chat = new ChatDoor(partsOf(chatOptions))
  const agUi = new AgUiDoor(partsOf(agUiOptions))
  const a2aOptions = options.a2a === false ? {} : (options.a2a ?? {})
  const a2a = new A2aDoor(
    partsOf({
      ...chatOptions,
      unreadMs: null,
      history: 'stored',
      surfaces: a2aOptions.surfaces,
    }),
    {
      push: { box, fetch: outgoing, allow },
      signingKey: a2aOptions.signingKey,
    },
  )
  const toDoorFlow = (flow: FlowRecord | null, name: string): DoorFlow => {
    const unknown = new DoorError('flow_not_found', `There is no flow "${name}".`)
    if (flow === null || flow.isComponent) throw unknown
    try {
      const { id, description } = flow
      const plan = chatFlows.plan(flow)
      return { id, name: flow.name, description: description ?? '', version: '1', plan }
    } catch (error) {
      throw isFlowError(error) ? unknown : error
    }
  }
  return {
    chat,
    agUi,
    a2a,
    rootFlow: a2aOptions.rootFlow,
    continued(jobId, { metadata }) {
      const turn: unknown = metadata?.['turn']
      if (isObject(turn) && turn['door'] === 'a2a') a2a.follow(jobId)
    },
    takesVisitors: (door) => (door === 'agUi' ? agUiOptions.public : chatOptions.public),
    async visit(name, request, address) {
      const record = await visitors.find(name)
      const flow = checkChat(toDoorFlow(record, name))
      if (chatFlows.asks(record)) throw asksPerson(record.id)
      const call: DoorCall = {
        ...request,
        variables: {},
        origin: {},
        userId: record.userId,
        flow,
        bytes: (limit) => request.bytes(Math.min(limit, settings.maxPublicBody * 1024)),
      }
      return { ...call, enter: (chatId) => visitors.enter(call, chatId, address) }
    },
    async call(caller, name, request) {
      const flow = checkChat(toDoorFlow(await chatFlows.find(caller, name), name))
      return { ...request, userId: caller.id, flow }
    },
    async file(ticket) {
      const file = await openTicket({ box, runtime }, ticket)
      const bytes = file === null ? null : await read(file)
      if (file === null || bytes === null)
        throw new DoorError('file_not_found', 'There is no such file.')
      return { path: file.path, bytes }
    },
    close() {
      for (const turns of opened) turns.close()
      a2a.close()
    },
  }

  async function read({ path, userId, flowId, publicFlowId }: FileTicket) {
    const visited = publicFlowId && { ownerId: userId, storedFlowId: publicFlowId }
    const scope = visited ? visitors.scopeOf(visited, flowId) : scopeOf(userId, flowId)
    const bytes = await servicesOf(scope).files?.read(path, { userId, flowId })
    return bytes ?? null
  }
}

/** The address of the service, as its clients know it. */
export function publicBase(
  { url }: Pick<Request, 'url'>,
  { publicUrl, basePath }: ServiceDependencies['settings'],
): string {
  return publicUrl === '' ? `${new URL(url).origin}${basePath}` : publicUrl
}
