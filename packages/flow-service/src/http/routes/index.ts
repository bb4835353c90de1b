import type { Route } from '../route/route.ts'
import { a2aRoutes } from './a2a.ts'
import { agUiRoutes } from './ag-ui.ts'
import { aiChatRoutes } from './ai-chat.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { baseRoutes } from './base.ts'
import { budgetRoutes } from './budgets.ts'
import { chatRoutes } from './chat.ts'
import { componentStoreRoutes } from './component-store.ts'
import { customComponentRoutes } from './custom-component.ts'
import { fileRoutes } from './files.ts'
import { flowRoutes } from './flows.ts'
import { flowVersionRoutes } from './flow-versions.ts'
import { folderRoutes } from './folders.ts'
import { knowledgeBaseRoutes } from './knowledge-bases.ts'
import { loginRoutes } from './login.ts'
import { mcpRoutes } from './mcp.ts'
import { mcpTransportRoutes } from './mcp-transport.ts'
import { monitorRoutes } from './monitor.ts'
import { openAiRoutes } from './openai.ts'
import { openAiResponseRoutes } from './openai-responses.ts'
import { projectRoutes } from './projects.ts'
import { publicBuildRoutes } from './public-build.ts'
import { responsesRoutes } from './responses.ts'
import { runRoutes } from './run.ts'
import { traceRoutes } from './traces.ts'
import { userFileRoutes } from './user-files.ts'
import { userRoutes } from './users.ts'
import { validateRoutes } from './validate.ts'
import { variableRoutes } from './variables.ts'
import { workflowRoutes } from './workflows.ts'
import { webhookRoutes } from './webhook.ts'

/** The operations of one group; `name` is their tag in the API description. */
export interface RouteGroup {
  readonly name: string
  readonly routes: readonly Route[]
}

/** The group disabled by `openai: false`. */
export const OPENAI_GROUP = 'OpenAI API'

/** The group disabled by `mcp: false`. */
export const MCP_GROUP = 'MCP server'

/** The group disabled by `aiSdk: false`. */
export const AI_SDK_GROUP = 'AI SDK'

/** The group disabled by `agUi: false`. */
export const AG_UI_GROUP = 'AG-UI'

/** The group disabled by `a2a: false`. */
export const A2A_GROUP = 'A2A'

/** All operations of the service, by group. */
export const routeGroups: readonly RouteGroup[] = [
  { name: 'Chat', routes: [...chatRoutes, ...publicBuildRoutes] },
  {
    name: 'Base',
    routes: [...baseRoutes, ...customComponentRoutes, ...runRoutes, ...webhookRoutes],
  },
  { name: 'OpenAI Responses API', routes: responsesRoutes },
  { name: OPENAI_GROUP, routes: [...openAiRoutes, ...openAiResponseRoutes] },
  { name: AI_SDK_GROUP, routes: aiChatRoutes },
  { name: AG_UI_GROUP, routes: agUiRoutes },
  { name: A2A_GROUP, routes: a2aRoutes },
  { name: 'Validate', routes: validateRoutes },
  { name: 'Components Store', routes: componentStoreRoutes },
  { name: 'Flows', routes: [...flowRoutes, ...flowVersionRoutes] },
  { name: 'Users', routes: userRoutes },
  { name: 'APIKey', routes: apiKeyRoutes },
  { name: 'Login', routes: loginRoutes },
  { name: 'Variables', routes: variableRoutes },
  { name: 'Files', routes: fileRoutes },
  { name: 'Files of users', routes: userFileRoutes },
  { name: 'Knowledge Bases', routes: knowledgeBaseRoutes },
  { name: 'Monitor', routes: [...monitorRoutes, ...traceRoutes, ...budgetRoutes] },
  { name: 'MCP', routes: mcpRoutes },
  { name: MCP_GROUP, routes: mcpTransportRoutes },
  { name: 'Folders', routes: folderRoutes },
  { name: 'Projects', routes: projectRoutes },
  { name: 'Workflows', routes: workflowRoutes },
]

/** All operations of the service. */
export const routes: readonly Route[] = routeGroups.flatMap((group) => group.routes)
