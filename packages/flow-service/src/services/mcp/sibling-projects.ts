import type { McpClient, McpService } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import type { RunResult } from '@x/flow-engine'
import { readArguments } from '../../mcp/run-tool.ts'
import { sanitizeToolName } from '../../mcp/tool-name.ts'
import { failedResult, toolResult } from '../../mcp/tool-result.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { ProjectRecord } from '../../store/projects.ts'
import type { McpTools } from './mcp-tools.ts'

/** Connects in process to the user's project with this server name; null if there is none. */
export type SiblingProjects = (
  ...call: Parameters<McpService['connect']>
) => Promise<McpClient | null>

const PREFIX = 'lf-'
const MAX_NAME_LENGTH = 26

/**
 * Offers the projects of a flow's owner as servers to the MCP component, without key or network. A
 * call is a nested run, so the limits of nested flows apply.
 */
export function createSiblingProjects(
  store: Pick<FlowStore, 'projects'>,
  tools: McpTools,
): SiblingProjects {
  return async ({ name }, { userId, runFlow }) => {
    if (userId === undefined || !name.startsWith(PREFIX)) return null
    const project = await projectNamed(store, userId, name)
    if (project === undefined) return null
    const scope = { userId, projectId: project.id }
    return {
      async listTools() {
        const { tools: listed } = await tools.list(scope)
        return listed.map(({ name: tool, description, inputSchema }) => ({
          name: tool,
          description,
          inputSchema,
        }))
      },
      async callTool(tool, args) {
        const flow = await tools.find(scope, tool)
        if (flow === null || runFlow === undefined)
          throw new TypeError(`Tool '${tool}' not found on the server ${name}`)
        const given = readArguments(tools.plan(flow), { ...args })
        if (typeof given === 'string')
          return { ...failedResult(given), content: [{ type: 'text', text: given }] }
        const { input, sessionId, tweaks } = given
        const graph = JSON.parse(flow.data ?? '{}') as NonNullable<FlowJson['data']>
        const child: FlowJson = { id: flow.id, name: flow.name, data: graph }
        const result = await runFlow(child, {
          outputType: 'any',
          ...(input === undefined ? {} : { input }),
          ...(sessionId === null ? {} : { sessionId }),
          ...(tweaks === undefined ? {} : { tweaks }),
        })
        if (result.status !== 'succeeded') {
          const reason = result.error?.message ?? 'The run was cancelled'
          const text = `Error Executing the ${flow.name} tool. Error: ${reason}`
          return { isError: true, content: [{ type: 'text', text }] }
        }
        const { content, ...rest } = toolResult(result as unknown as RunResult)
        return { ...rest, content: [...content] }
      },
      close: () => Promise.resolve(),
    }
  }
}

/** The server name of a project. */
function serverName(project: string): string {
  return `${PREFIX}${sanitizeToolName(project).slice(0, MAX_NAME_LENGTH)}`
}

async function projectNamed(
  { projects }: Pick<FlowStore, 'projects'>,
  userId: string,
  server: string,
): Promise<ProjectRecord | undefined> {
  for (const name of await projects.names(userId, '')) {
    if (serverName(name) === server) return (await projects.findByName(userId, name)) ?? undefined
  }
  return undefined
}
