import { isFlowError } from '../errors.ts'
import { connectHttpMcp } from '../components/models-and-agents/mcp-http.ts'
import type { McpClient, McpService } from '../components/services.ts'
import { refuse } from '../services/refusal.ts'
import { isObject } from '../wire/scalars.ts'

/** How tool servers are reached. */
export interface StdioMcpOptions {
  /** For servers with an address; the guarded one of the platform by default (AB-40). */
  readonly fetch?: typeof fetch
  /** Variables of the environment that local commands get besides their own; PATH and the like. */
  readonly environment?: Readonly<Record<string, string>>
}

interface Command {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
}

/**
 * Connects to tool servers, local commands among them (stdio). Only for hosts that trust their
 * users with the machine: whoever may build a flow may start a command.
 */
export function createStdioMcp({
  fetch: given,
  environment = {},
}: StdioMcpOptions = {}): McpService {
  return {
    async connect({ config }, { signal }) {
      const command = readCommand(config)
      if (command !== undefined) return await connectCommand(command, environment, signal)
      return await connectHttpMcp(config, {
        fetch: given,
        signal,
        sessions: new Map(),
        sessionKey: '',
      })
    },
  }
}

function readCommand(config: object | undefined): Command | undefined {
  if (!isObject(config) || typeof config['command'] !== 'string') return undefined
  const { command, args, env } = config
  const texts = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : []
  const variables = isObject(env) ? Object.entries(env) : []
  return {
    command,
    args: texts,
    env: Object.fromEntries(variables.map(([name, value]) => [name, String(value)])),
  }
}

async function connectCommand(
  { command, args, env }: Command,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<McpClient> {
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
  ])
  const client = new Client({ name: 'flow-engine', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...environment, ...env },
    stderr: 'ignore',
  })
  try {
    await client.connect(transport, { signal })
  } catch (error) {
    await client.close().catch(() => undefined)
    throw isFlowError(error)
      ? error
      : refuse(502, `The tool server ${command} cannot be started`, { cause: error })
  }
  return {
    async listTools() {
      const { tools } = await client.listTools({}, { signal })
      return tools.map(({ name, description, inputSchema }) => ({
        name,
        inputSchema,
        ...(description === undefined ? {} : { description }),
      }))
    },
    async callTool(name, toolArguments, options) {
      const result = await client.callTool({ name, arguments: { ...toolArguments } }, undefined, {
        signal: options.signal,
      })
      return {
        content: Array.isArray(result.content) ? result.content : [],
        ...(result.isError === true ? { isError: true } : {}),
        ...('structuredContent' in result ? { structuredContent: result.structuredContent } : {}),
      }
    },
    close: () => client.close(),
  }
}
