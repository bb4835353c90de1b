import type { ReferenceServer } from './server.ts'

/** The text printed at start: URLs, credentials shown once, and three commands. */
export function startMessage(url: string, server: ReferenceServer): string {
  const { database, publicUrl, scimEnabled, mcpEnabled, firstStart } = server
  const { username, id, password, apiKey, projectId } = firstStart
  return [
    `Listening on ${url}`,
    `Database: ${database}`,
    `SCIM: ${scimEnabled ? `on, ${publicUrl}/api/v1/scim/v2` : 'off'}`,
    ...(projectId === undefined || !mcpEnabled
      ? []
      : [`MCP: ${publicUrl}/api/v1/mcp/project/${projectId}/streamable`]),
    ...(id === undefined ? [] : [`Superuser: ${username}, ${passwordText(password)}`]),
    ...(apiKey === undefined ? [] : [`API key: ${apiKey} (shown once)`]),
    '',
    apiKey === undefined ? 'Try (YOUR_KEY: make one in the console, under API keys):' : 'Try:',
    `  curl -X POST ${url}/api/v1/run/echo -H 'x-api-key: ${apiKey ?? 'YOUR_KEY'}' -H 'content-type: application/json' -d '{"input_value":"hello"}'`,
    '  Look for "You said: hello" in the answer.',
    scimEnabled
      ? `  curl -X POST ${url}/api/v1/scim/v2/Users -H "authorization: Bearer $SCIM_TOKEN" -H 'content-type: application/scim+json' -d '{"userName":"ada@example.com","active":true}'`
      : '  SCIM_ENABLED=true SCIM_TOKEN=a-long-random-secret npm start    (enables provisioning)',
    `  open ${url}/    (the console)`,
  ].join('\n')
}

function passwordText(generated: string | undefined): string {
  return generated === undefined
    ? 'with the password of SERVICE_SUPERUSER_PASSWORD'
    : `password ${generated} (shown once)`
}
