/** A step of the demo. */
export interface DemoStep {
  readonly title: string
  /** Method and path of the request. */
  readonly request: string
  /** Sends the request; returns the relevant lines of the response. */
  readonly run: () => Promise<readonly string[]>
}

/** The demo server and its credentials. */
export interface DemoServer {
  readonly url: string
  readonly apiKey: string
  readonly projectId: string
  readonly scimToken: string
}

type Sender = (path: string, body: object, method?: 'POST' | 'PATCH') => Promise<Response>

/**
 * The steps of the demo, in order: each is one HTTP request to a running server.
 * @throws from `run`: Error with the response if its status is not 2xx
 */
export function createDemoSteps({ url, apiKey, projectId, scimToken }: DemoServer): DemoStep[] {
  const flows = createSender(url, { 'x-api-key': apiKey })
  const openAi = createSender(url, { authorization: `Bearer ${apiKey}` })
  const scim = createSender(url, { authorization: `Bearer ${scimToken}` })
  const mcpPath = `/api/v1/mcp/project/${projectId}/streamable`
  const scimPath = '/api/v1/scim/v2/Users'
  let userId = ''
  return [
    {
      title: 'Run a flow that was drawn in the editor',
      request: 'POST /api/v1/run/echo',
      run: async () => [await textOfRun(await flows('/api/v1/run/echo', { input_value: 'hello' }))],
    },
    {
      title: 'Call the same flow as a model of the OpenAI API',
      request: 'POST /api/openai/v1/chat/completions',
      run: async () => {
        const messages = [{ role: 'user', content: 'hello' }]
        const answer = await openAi('/api/openai/v1/chat/completions', { model: 'echo', messages })
        const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] }
        return choices.map(({ message }) => message.content)
      },
    },
    {
      title: 'List the same flow as a tool for MCP clients such as Claude and Cursor',
      request: 'POST /api/v1/mcp/project/{id}/streamable',
      run: async () => {
        const answer = await flows(mcpPath, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
        const { result } = (await answer.json()) as { result: { tools: McpTool[] } }
        return result.tools.map(({ name, description }) => `${name}: ${description}`)
      },
    },
    {
      title: 'Provision a user, as Entra ID or Okta does',
      request: `POST ${scimPath}`,
      run: async () => {
        const answer = await scim(scimPath, { userName: 'ada@example.com', active: true })
        const user = (await answer.json()) as ScimUser
        userId = user.id
        return [`${answer.status} ${summaryOf(user)}`]
      },
    },
    {
      title: 'Deactivate the user: sessions and keys are revoked in the same transaction',
      request: `PATCH ${scimPath}/{id}`,
      run: async () => {
        const Operations = [{ op: 'replace', path: 'active', value: false }]
        const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
        const answer = await scim(`${scimPath}/${userId}`, { schemas, Operations }, 'PATCH')
        return [`${answer.status} ${summaryOf((await answer.json()) as ScimUser)}`]
      },
    },
    {
      title: 'Stream a surface (A2UI) to a renderer',
      request: 'GET /surfaces/demo/stream',
      run: async () => (await readSurface(url)).map((line) => clipped(line, 84)),
    },
  ]
}

interface McpTool {
  readonly name: string
  readonly description: string
}

interface ScimUser {
  readonly id: string
  readonly userName: string
  readonly active: boolean
}

const summaryOf = ({ userName, active }: ScimUser): string =>
  `${userName}, ${active ? 'active' : 'deactivated'}`

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

function createSender(url: string, credential: Readonly<Record<string, string>>): Sender {
  return (path, body, method = 'POST') => {
    const headers = { ...credential, 'content-type': 'application/json', accept: ACCEPTED }
    const init: RequestInit = { headers, body: JSON.stringify(body) }
    return checked(fetch(`${url}${path}`, { ...init, method }))
  }
}

/** MCP requires both; the other APIs answer with JSON. */
const ACCEPTED = 'application/json, text/event-stream'

/** The text of a flow's chat output. */
async function textOfRun(response: Response): Promise<string> {
  const { outputs } = (await response.json()) as {
    outputs: { outputs: { results: { message: { text: string } } }[] }[]
  }
  return outputs[0]?.outputs[0]?.results.message.text ?? 'no answer'
}

/** The messages of the demo surface, up to the one that makes it displayable. */
async function readSurface(url: string): Promise<string[]> {
  const leave = new AbortController()
  const headers = { accept: 'application/jsonl' }
  const response = await checked(
    fetch(`${url}/surfaces/demo/stream`, { headers, signal: leave.signal }),
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/"beginRendering".*\n/.test(text)) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error('The stream ended early')
    text += value
  }
  leave.abort()
  return text.trim().split('\n')
}

async function checked(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
  return response
}
