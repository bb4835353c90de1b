import { z } from 'zod'
import { baseToolName } from '../../mcp/tool-name.ts'
import { maskAuthSettings } from '../../services/flows/auth-settings.ts'
import { toolDescription } from '../../services/mcp/mcp-tools.ts'
import { refuse } from '../../refusal.ts'
import {
  bool,
  descriptionText,
  dict,
  IdParams,
  maybe,
  nameText,
  oneOf,
  text,
  uuid,
} from '../../wire/scalars.ts'
import { MEDIUM_BODY } from '../route/body-limit.ts'
import { route, type Route } from '../route/route.ts'

const serverParams = z.object({ server_name: nameText() })
const projectParams = IdParams('project_id')
const Server = z.looseObject({})
/** Maximum bytes of a server's entry. */
const MAX_SERVER = 256 * 1024

/**
 * The authentication settings of a project's MCP server. Only `auth_type` is used; the rest is stored.
 */
const AuthSettings = z.looseObject({
  auth_type: maybe(oneOf(['none', 'apikey', 'oauth'], 'literal_error')),
})

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
    auth_settings: maybe(AuthSettings),
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

/** The response if the editor selects OAuth. */
const NO_COMPOSER = {
  uses_composer: false,
  error_message: 'OAuth authentication is set but MCP Composer is disabled in settings',
}

/** All keys the editor knows; unset ones are null. */
const AUTH_KEYS = [
  'auth_type',
  'oauth_host',
  'oauth_port',
  'oauth_server_url',
  'oauth_callback_path',
  'oauth_client_id',
  'oauth_client_secret',
  'oauth_auth_url',
  'oauth_token_url',
  'oauth_mcp_scope',
  'oauth_provider_scope',
]

function shownSettings(
  stored: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> | null {
  const shown = maskAuthSettings(stored)
  if (shown === null) return null
  return Object.fromEntries(AUTH_KEYS.map((key) => [key, shown[key] ?? null]))
}

const Install = z
  .object({
    client: text(),
    transport: maybe(oneOf(['sse', 'streamablehttp'], 'literal_error')),
  })
  .meta({ id: 'McpInstall' })

/** Clients the editor asks about; this service installs itself in none of them. */
const CLIENTS = ['cursor', 'windsurf', 'claude']

/** The tool server operations used by the web editor. */
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
  writeServer('POST', 'Add Server', 'add'),
  writeServer('PATCH', 'Update Server Endpoint', 'put'),
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
      const flows = await services.projects.outlines(caller, params.project_id)
      const tools = flows
        .filter((flow) => !flow.isComponent && (!query.mcp_enabled || flow.mcpEnabled))
        .map((flow) => ({
          id: flow.id,
          mcp_enabled: flow.mcpEnabled,
          action_name: baseToolName(flow),
          action_description: toolDescription(flow),
          name: flow.name,
          description: flow.description,
        }))
      return { tools, auth_settings: shownSettings(project.authSettings) }
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
      audit: { action: 'mcp.settings_changed', target: 'project', idFrom: 'project_id' },
      output: z.object({ message: z.string(), result: Server.optional() }),
    },
    async ({ services, caller, params, body }) => {
      const tools = body.settings.map((one) => ({
        flowId: one.id,
        ...(one.mcp_enabled == null ? {} : { mcpEnabled: one.mcp_enabled }),
        ...(one.action_name == null ? {} : { actionName: one.action_name }),
        ...(one.action_description == null ? {} : { actionDescription: one.action_description }),
      }))
      const settings = body.auth_settings ?? undefined
      const updated = await services.projects.updateTools(caller, params.project_id, {
        tools,
        authSettings: settings,
      })
      const message = `Updated MCP settings for ${updated} flows and project auth settings`
      if (settings?.auth_type !== 'oauth') return { message }
      return { message, result: { project_id: params.project_id, ...NO_COMPOSER } }
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
  route(
    {
      method: 'POST',
      path: '/api/v1/mcp/project/{project_id}/install',
      summary: 'Install Mcp Config',
      auth: 'user',
      params: projectParams,
      body: Install,
    },
    async ({ services, caller, params }) => {
      await services.projects.get(caller, params.project_id)
      // A server does not write configuration files of other programs (MC-83).
      throw refuse(400, 'Unsupported client')
    },
  ),
]

function writeServer(method: 'POST' | 'PATCH', summary: string, write: 'add' | 'put'): Route {
  return route(
    {
      method,
      path: '/api/v2/mcp/servers/{server_name}',
      summary,
      auth: 'user',
      maxBody: MAX_SERVER,
      params: serverParams,
      body: dict(),
      output: Server,
    },
    async ({ services, caller, params, body }) => {
      await services.mcpServers[write](caller, params.server_name, body)
      return body
    },
  )
}
