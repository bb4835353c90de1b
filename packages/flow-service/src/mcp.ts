export { mcpClientConfig, type McpClientConfig } from './mcp/client-config.ts'
export {
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  type McpResourceSource,
} from './mcp/create-mcp-handler.ts'
export type { FlowToolOptions } from './mcp/flow-tools.ts'
export type { McpAuth, McpAuthenticate, McpUser } from './mcp/mcp-auth.ts'
export type { ListedResource, ResourceContent } from './mcp/mcp-server.ts'
