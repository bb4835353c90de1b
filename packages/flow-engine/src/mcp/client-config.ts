/** The configuration of MCP clients that read JSON: Claude Desktop, Cursor and others. */
export interface McpClientConfig {
  readonly mcpServers: Readonly<
    Record<
      string,
      {
        readonly type: 'http'
        readonly url: string
        readonly headers: { readonly 'x-api-key': string }
      }
    >
  >
}

/** The JSON that a user pastes into the configuration of a client (MC-103). */
export function mcpClientConfig({
  name,
  url,
  apiKey,
}: {
  readonly name: string
  readonly url: string
  readonly apiKey: string
}): McpClientConfig {
  return { mcpServers: { [name]: { type: 'http', url, headers: { 'x-api-key': apiKey } } } }
}
