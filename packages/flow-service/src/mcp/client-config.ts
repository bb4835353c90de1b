/** The JSON configuration of MCP clients such as Claude Desktop and Cursor. */
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

/** Creates the JSON a user pastes into a client's configuration. */
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
