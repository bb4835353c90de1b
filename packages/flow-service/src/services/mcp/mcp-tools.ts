import { isFlowError } from '@x/flow-engine'
import type { FlowPlan } from '@x/flow-engine'
import { toolInputsOf, type InputSchema } from '../../mcp/input-schema.ts'
import type { ListedTool, ToolList } from '../../mcp/mcp-server.ts'
import type { ResolvedMcpOptions } from '../../mcp/mcp-options.ts'
import { baseToolName, nameTools } from '../../mcp/tool-name.ts'
import type { FlowRecord, FlowTable } from '../../store/flows.ts'
import type { PlanCache } from '../runs/plan-cache.ts'

/** Maximum number of cached schemas; a project has at most 1,000 tools. */
const MAX_CACHED = 4096

/** The flows offered as tools: those of one project, or of all of a user's projects. */
export interface ToolScope {
  readonly userId: string
  readonly projectId: string | null
}

/** Flows as tools. */
export interface McpTools {
  list(scope: ToolScope): Promise<ToolList>
  /** The flow, including its graph, listed under this name; null if there is none. */
  find(scope: ToolScope, name: string): Promise<FlowRecord | null>
  /** The flows whose files are resources, without their graphs. */
  flows(scope: ToolScope): Promise<readonly FlowRecord[]>
  /** @throws FlowCompileError if the flow cannot be compiled */
  plan(flow: FlowRecord): FlowPlan
}

/** The enabled flows of a scope by name, and the callable ones among them. */
interface NamedTools {
  readonly listed: readonly (readonly [name: string, flow: FlowRecord])[]
  readonly callable: ReadonlyMap<string, FlowRecord>
}

/** The schema of a flow, or the reason it has none. */
type Schema = { readonly schema: InputSchema } | { readonly reason: string }

export function createMcpTools(
  flows: Pick<FlowTable, 'get' | 'list'>,
  plans: PlanCache,
  { maxTools, listBroken, annotations }: ResolvedMcpOptions,
): McpTools {
  const kept = new Map<string, { readonly updatedAt: number; readonly schema: Schema }>()
  const all = async ({ userId, projectId }: ToolScope): Promise<readonly FlowRecord[]> => {
    const { items } = await flows.list({
      userId,
      ...(projectId === null ? {} : { folderId: projectId }),
      isComponent: false,
      order: 'created',
      data: 'none',
    })
    return items
  }
  /** A store that caches a list returns the same array again. */
  const names = new WeakMap<readonly FlowRecord[], NamedTools>()
  /** Listing and calling share this map. */
  const named = async (scope: ToolScope): Promise<NamedTools> => {
    const items = await all(scope)
    const known = names.get(items)
    if (known !== undefined) return known
    const enabled = items.toSorted(byCreation).filter(({ mcpEnabled }) => mcpEnabled)
    const listed = [...nameTools(enabled, baseToolName)]
    const tools = { listed, callable: new Map(listed.slice(0, maxTools)) }
    names.set(items, tools)
    return tools
  }
  const plan = (flow: FlowRecord): FlowPlan => plans.get(flow.id, flow.name, flow.data ?? '{}')
  const read = (flow: FlowRecord): Schema => {
    try {
      return { schema: toolInputsOf(plan(flow)).schema }
    } catch (error) {
      if (!isFlowError(error)) throw error
      return { reason: error.detail }
    }
  }
  const schemasOf = async (
    { userId }: ToolScope,
    listed: readonly FlowRecord[],
  ): Promise<ReadonlyMap<string, Schema>> => {
    const found = new Map<string, Schema>()
    const missing: string[] = []
    for (const { id, updatedAt } of listed) {
      const known = kept.get(id)
      if (known?.updatedAt === updatedAt.getTime()) found.set(id, known.schema)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    const query = { userId, ids: missing, order: 'created', data: 'all' } as const
    for (const flow of (await flows.list(query)).items) {
      const schema = read(flow)
      found.set(flow.id, schema)
      kept.delete(flow.id)
      kept.set(flow.id, { updatedAt: flow.updatedAt.getTime(), schema })
    }
    for (const id of kept.keys()) {
      if (kept.size <= MAX_CACHED) break
      kept.delete(id)
    }
    return found
  }

  return {
    plan,
    flows: async (scope) => (await all(scope)).toSorted(byCreation),
    async list(scope) {
      const { listed: tools } = await named(scope)
      const schemas = await schemasOf(
        scope,
        tools.slice(0, maxTools).map(([, flow]) => flow),
      )
      const list = { tools: [] as ListedTool[], excluded: [] as ToolList['excluded'][number][] }
      for (const [index, [name, flow]] of tools.entries()) {
        const schema = index < maxTools ? schemas.get(flow.id) : { reason: 'too many tools' }
        // The flow was removed meanwhile.
        if (schema === undefined) continue
        const usable = 'schema' in schema ? schema.schema : index < maxTools && listBroken && BROKEN
        if (usable) list.tools.push(describe(name, flow, usable, annotations?.(flow)))
        if ('reason' in schema)
          list.excluded.push({ flow_id: flow.id, tool_name: name, reason: schema.reason })
      }
      return list
    },
    async find(scope, name) {
      const id = (await named(scope)).callable.get(name)?.id
      const flow = id === undefined ? null : await flows.get(id)
      return flow?.userId === scope.userId ? flow : null
    },
  }
}

const BROKEN: InputSchema = { type: 'object', properties: {}, required: [] }

function describe(
  name: string,
  flow: FlowRecord,
  inputSchema: InputSchema,
  annotations: ListedTool['annotations'],
): ListedTool {
  return {
    name,
    title: flow.name,
    description: toolDescription(flow),
    inputSchema,
    ...(annotations === undefined ? {} : { annotations }),
  }
}

export function toolDescription(flow: FlowRecord): string {
  const { actionDescription, description } = flow
  return actionDescription || description || `Tool generated from flow: ${baseToolName(flow)}`
}

/** The order is stable between requests. */
function byCreation(a: FlowRecord, b: FlowRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)
}
