import { z } from 'zod'
import { maskAuthSettings } from '../../services/auth-settings.ts'
import { bool, descriptionText, dict, IdParams, maybe, nameText, uuid } from '../../wire/scalars.ts'
import { MEDIUM_BODY } from '../body-limit.ts'
import { route, type Route } from '../route.ts'

const serverParams = z.object({ server_name: nameText() })
const projectParams = IdParams('project_id')
const Server = z.looseObject({})
/** Bytes of the entry of one server. */
const MAX_SERVER = 256 * 1024

const ProjectSettings = z
  .object({
    settings: z.array(
      z.object({
        id: uuid(),
        mcp_enabled: maybe(bool()),
        action_name: maybe(nameText()),
        action_description: maybe(descriptionText()),
      }),
    ),
    auth_settings: maybe(dict()),
  })
  .meta({ id: 'McpProjectSettings' })

const Tool = z.object({
  id: z.string(),
  mcp_enabled: z.boolean(),
  action_name: z.string().nullable(),
  action_description: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
})

/** Clients that the editor asks about; none of them is set up by this service. */
const CLIENTS = ['cursor', 'windsurf', 'claude']

/** The few operations of tool servers that the web editor calls (editor.md). */
export const mcpRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v2/mcp/servers',
      summary: 'Get Servers',
      auth: 'user',
      query: z.object({ action_count: maybe(bool()) }),
      output: z.array(
        z.object({
          name: z.string(),
          mode: z.string().nullable(),
          toolsCount: z.int().nullable(),
          error: z.string().optional(),
        }),
      ),
    },
    ({ services, caller, query, signal }) =>
      services.mcpServers.list(caller, query.action_count === true, signal),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v2/mcp/servers/{server_name}',
      summary: 'Get Server Endpoint',
      auth: 'user',
      params: serverParams,
      output: Server.nullable(),
    },
    ({ services, caller, params }) => services.mcpServers.get(caller.id, params.server_name),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v2/mcp/servers/{server_name}',
      summary: 'Add Server',
      auth: 'user',
      maxBody: MAX_SERVER,
      params: serverParams,
      body: dict(),
      output: Server,
    },
    async ({ services, caller, params, body }) => {
      await services.mcpServers.add(caller, params.server_name, body)
      return body
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v2/mcp/servers/{server_name}',
      summary: 'Update Server Endpoint',
      auth: 'user',
      maxBody: MAX_SERVER,
      params: serverParams,
      body: dict(),
      output: Server,
    },
    async ({ services, caller, params, body }) => {
      await services.mcpServers.put(caller, params.server_name, body)
      return body
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v2/mcp/servers/{server_name}',
      summary: 'Delete Server',
      auth: 'user',
      params: serverParams,
      output: z.null(),
    },
    async ({ services, caller, params }) => {
      await services.mcpServers.remove(caller, params.server_name)
      return null
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/mcp/project/{project_id}',
      summary: 'List Project Tools',
      auth: 'user',
      params: projectParams,
      query: z.object({ mcp_enabled: bool().default(true) }),
      output: z.object({ tools: z.array(Tool), auth_settings: Server.nullable() }),
    },
    async ({ services, caller, params, query }) => {
      const project = await services.projects.get(caller, params.project_id)
      const flows = await services.projects.flows(caller, params.project_id, 'none')
      const tools = flows
        .filter((flow) => !flow.isComponent && (!query.mcp_enabled || flow.mcpEnabled))
        .map((flow) => ({
          id: flow.id,
          mcp_enabled: flow.mcpEnabled,
          action_name: flow.actionName,
          action_description: flow.actionDescription,
          name: flow.name,
          description: flow.description,
        }))
      const settings = maskAuthSettings(project.authSettings)
      return { tools, auth_settings: settings === null ? null : { ...settings } }
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/mcp/project/{project_id}',
      summary: 'Update Project Mcp Settings',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      params: projectParams,
      body: ProjectSettings,
      output: z.object({ message: z.string() }),
    },
    async ({ services, caller, params, body }) => {
      const tools = body.settings.map((one) => ({
        flowId: one.id,
        ...(one.mcp_enabled == null ? {} : { mcpEnabled: one.mcp_enabled }),
        ...(one.action_name == null ? {} : { actionName: one.action_name }),
        ...(one.action_description == null ? {} : { actionDescription: one.action_description }),
      }))
      await services.projects.updateTools(caller, params.project_id, tools, body.auth_settings)
      return { message: `Updated MCP settings for ${body.settings.length} flows` }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/mcp/project/{project_id}/installed',
      summary: 'Check Installed Mcp Servers',
      auth: 'user',
      params: projectParams,
      output: z.array(
        z.object({ name: z.string(), installed: z.boolean(), available: z.boolean() }),
      ),
    },
    async ({ services, caller, params }) => {
      await services.projects.get(caller, params.project_id)
      return CLIENTS.map((name) => ({ name, installed: false, available: false }))
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/mcp/project/{project_id}/composer-url',
      summary: 'Get Project Composer Url',
      auth: 'user',
      params: projectParams,
      output: z.object({
        project_id: z.string(),
        uses_composer: z.boolean(),
        streamable_http_url: z.string(),
        legacy_sse_url: z.string(),
        error_message: z.string().nullable(),
      }),
    },
    async ({ services, caller, params, url }) => {
      const { id } = await services.projects.get(caller, params.project_id)
      const { publicUrl, basePath } = services.status.settings
      const base = `${publicUrl === '' ? `${url.origin}${basePath}` : publicUrl}/api/v1/mcp/project/${id}`
      return {
        project_id: id,
        uses_composer: false,
        streamable_http_url: `${base}/streamable`,
        legacy_sse_url: `${base}/sse`,
        error_message: null,
      }
    },
  ),
]
