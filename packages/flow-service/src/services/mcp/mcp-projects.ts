import type { Runtime } from '@x/wire'
import type { EmitFlowEvent } from '../../events.ts'
import { isFlowError } from '@x/flow-engine'
import { refuse, type Refusal } from '../../refusal.ts'
import { runErrorText } from '../../run-error-text.ts'
import { planAsksPeople } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import { invalidParams } from '../../mcp/json-rpc.ts'
import type { McpServer, McpToolCall } from '../../mcp/mcp-server.ts'
import type { ResolvedMcpOptions } from '../../mcp/mcp-options.ts'
import type { AskingCall, AskingTools } from '../../mcp/asking-tools.ts'
import { ASKS, readArguments, runTool, type ToolGiven } from '../../mcp/run-tool.ts'
import { failedResult, type InputRequired, type ToolResult } from '../../mcp/tool-result.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowRecord } from '../../store/flows.ts'
import type { ProjectRecord } from '../../store/projects.ts'
import { callerOf, type Caller } from '../base/caller.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import { parseAddress } from '../files/file-address.ts'
import { flowFileUri, type McpResources, type ResourceScope } from './mcp-resources.ts'
import type { McpTools, ToolScope } from './mcp-tools.ts'
import { contentTypeOf } from '../files/media-types.ts'
import type { BuildMetadata } from '../runs/build-metadata.ts'
import type { ProjectService } from '../flows/projects.ts'
import type { RunService } from '../runs/run-service.ts'
import { SERVICE_VERSION } from '../base/status.ts'

/** One request to a server. */
export interface McpVisit {
  /** Null for a client without credentials. */
  readonly caller: Caller | null
  /** Null for the caller's own server: the flows of all their projects. */
  readonly projectId: string | null
  /** Variables for the runs of this request. */
  readonly variables: Readonly<Record<string, string>>
  /** Base of file URLs. */
  readonly base: string
  readonly origin?: RunOrigin
}

/** Projects as MCP servers. */
export interface McpProjects {
  /** @throws Refusal 404 if the project is not the caller's, 401 without a caller */
  open(visit: McpVisit): Promise<McpServer>
}

export interface McpProjectsOptions {
  readonly projects: Pick<ProjectService, 'get'>
  readonly store: Pick<FlowStore, 'projects' | 'users'>
  readonly tools: McpTools
  readonly resources: McpResources
  readonly runs: Pick<RunService, 'open'>
  /** Runs flows that ask a person. */
  readonly asking: AskingTools
  readonly settings: ResolvedMcpOptions
  readonly runtime: Runtime
  readonly emit: EmitFlowEvent
}

export function createMcpProjects(options: McpProjectsOptions): McpProjects {
  return {
    async open({ caller, projectId, ...visit }) {
      if (caller === null) {
        const opened = await openToAnybody(options, projectId)
        return serverOf(options, { ...visit, ...opened, isAnonymous: true })
      }
      const project = projectId === null ? null : await options.projects.get(caller, projectId)
      return serverOf(options, { ...visit, caller, project, isAnonymous: false })
    },
  }
}

/** The response to a client without credentials. */
export function noMcpCredentials(): Refusal {
  return refuse(
    401,
    'API key required for this project. Provide x-api-key header or query parameter.',
  )
}

/** A project made public by its owner, with that owner. */
async function openToAnybody(
  { settings, store }: McpProjectsOptions,
  projectId: string | null,
): Promise<{ readonly caller: Caller; readonly project: ProjectRecord }> {
  const project =
    settings.anonymous && projectId !== null ? await store.projects.find(projectId) : null
  if (project?.authSettings?.['auth_type'] !== 'none') throw noMcpCredentials()
  const owner = await store.users.get(project.userId)
  if (owner?.isActive !== true) throw noMcpCredentials()
  return { caller: callerOf(owner, 'key'), project }
}

/** An authorised visit. */
interface Admitted extends Omit<McpVisit, 'projectId'> {
  readonly caller: Caller
  readonly project: ProjectRecord | null
  readonly isAnonymous: boolean
}

function serverOf(options: McpProjectsOptions, visit: Admitted): McpServer {
  const { tools, resources } = options
  const { caller, base, project, isAnonymous } = visit
  const userId = userOf(visit)
  const scope: ToolScope = { userId: caller.id, projectId: project?.id ?? null }
  const files: ResourceScope = {
    caller,
    base,
    // Files are available to the owner only.
    flows: async () => (isAnonymous ? [] : await tools.flows(scope)),
    ofUser: project === null,
  }
  return {
    info: {
      name: project === null ? 'flow-mcp' : `flow-mcp-project-${project.id}`,
      title: project?.name ?? 'Flows',
      version: SERVICE_VERSION,
    },
    instructions: project?.description ?? undefined,
    userId,
    scope: scopeOf(visit),
    listTools: () => tools.list(scope),
    listResources: () => resources.list(files),
    readResource: (uri) => resources.read(files, uri),
    async callTool(call) {
      const flow = await tools.find(scope, call.name)
      const plan = flow === null ? null : planOf(options, flow)
      if (flow === null || plan === null) throw invalidParams(`Tool '${call.name}' not found`)
      const startedAt = options.runtime.now().getTime()
      const result =
        plan instanceof Error
          ? failedResult(brokenText(flow, plan))
          : await runFlowTool(options, visit, { flow, plan, call })
      options.emit('mcp.called', {
        at: options.runtime.now(),
        ...(isAnonymous ? {} : { userId: caller.id }),
        id: flow.id,
        projectId: flow.folderId,
        tool: call.name,
        era: call.era,
        ok: !('isError' in result && result.isError),
        durationMs: options.runtime.now().getTime() - startedAt,
      })
      return result
    },
  }
}

/** Anonymous clients do not use the owner's slots. */
function userOf({ caller, project, isAnonymous }: Admitted): string {
  return isAnonymous ? `anonymous ${project?.id ?? ''}` : caller.id
}

function scopeOf(visit: Admitted): string {
  return `${userOf(visit)} ${visit.project?.id ?? ''}`
}

/** The plan of a flow. If it cannot be compiled: the error if broken flows are listed, else null. */
function planOf(
  { tools, settings }: McpProjectsOptions,
  flow: FlowRecord,
): FlowPlan | Error | null {
  try {
    return tools.plan(flow)
  } catch (error) {
    if (!isFlowError(error)) throw error
    return settings.listBroken ? error : null
  }
}

function brokenText({ name }: FlowRecord, error: Error): string {
  const text = isFlowError(error) ? runErrorText(error) : ''
  return `Error Executing the ${name} tool. Error: ${text}`
}

interface FlowToolCall {
  readonly flow: FlowRecord
  readonly plan: FlowPlan
  readonly call: McpToolCall
}

async function runFlowTool(
  options: McpProjectsOptions,
  visit: Admitted,
  toolCall: FlowToolCall,
): Promise<ToolResult | InputRequired> {
  const { plan, call } = toolCall
  if (planAsksPeople(plan) || toolCall.call.answer !== undefined)
    return await askingRun(options, visit, toolCall)
  const { runs, settings, runtime } = options
  return await runTool({
    flowName: toolCall.flow.name,
    plan,
    args: call.args,
    signal: call.signal,
    timeoutMs: settings.callTimeoutMs,
    runtime,
    progress: call.progress,
    linkOf: (path) => linkOf(visit.base, path),
    start: ({ signal, ...given }) =>
      runs.open(
        toolCall.flow,
        {
          ...inputOf(given),
          outputComponent: null,
          tweaks: given.tweaks === undefined ? null : { ...given.tweaks },
          sessionId: sessionOf(visit, given, runtime),
          context: null,
          variables: visit.variables,
          stream: false,
        },
        { signal, isAnonymous: visit.isAnonymous, origin: visit.origin, door: 'mcp' },
      ),
  })
}

/** Runs a flow that asks questions as a job that waits for the client's user. */
async function askingRun(
  { asking, settings, runtime }: McpProjectsOptions,
  visit: Admitted,
  { flow, plan, call }: FlowToolCall,
): Promise<ToolResult | InputRequired> {
  const { caller, variables, base, isAnonymous } = visit
  if (!call.elicits) return failedResult(ASKS)
  const asked: AskingCall = {
    scope: JSON.stringify([scopeOf(visit), flow.id, call.name]),
    flowName: flow.name,
    plan,
    signal: call.signal,
    timeoutMs: settings.callTimeoutMs,
    progress: call.progress,
    linkOf: (path) => linkOf(base, path),
  }
  if (call.answer !== undefined) return await asking.resume(asked, call.answer)
  const given = readArguments(plan, call.args)
  if (typeof given === 'string') return failedResult(given)
  const { inputValue: value, inputType: type, outputType } = inputOf(given)
  const metadata: BuildMetadata = {
    ownerId: flow.userId,
    storedFlowId: flow.id,
    isPublic: false,
    isAnonymous,
    logBuilds: true,
    form: 'run',
    door: 'mcp',
  }
  return await asking.start(asked, {
    flow: plan,
    input: { type, ...(value === null ? {} : { value }) },
    outputType,
    ...(given.tweaks === undefined ? {} : { tweaks: given.tweaks }),
    sessionId: sessionOf(visit, given, runtime),
    variables: { ...variables },
    stream: false,
    flowId: flow.id,
    flowName: flow.name,
    userId: caller.id,
    ...visit.origin,
    metadata: { ...metadata },
  })
}

function inputOf({ input }: ToolGiven) {
  return { inputValue: input ?? null, inputType: 'chat', outputType: 'any' } as const
}

/** Anonymous clients cannot continue a session. */
function sessionOf(
  { isAnonymous }: Admitted,
  { sessionId }: ToolGiven,
  runtime: McpProjectsOptions['runtime'],
): string {
  return isAnonymous ? runtime.uuid() : (sessionId ?? runtime.uuid())
}

function linkOf(base: string, path: string) {
  const address = parseAddress(path)
  if (address === null) return undefined
  const { id, name } = address
  return { uri: flowFileUri(base, id, name), name, mimeType: contentTypeOf(name) }
}
