import { isObject } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { asMcpClient } from '../built-in/models-and-agents/mcp-client.ts'
import { connectHttpMcp } from '../built-in/models-and-agents/mcp-http.ts'
import { loadMcp, refuseMissing } from '../built-in/models-and-agents/mcp-package.ts'
import type { McpClient, McpService } from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'

/** Options of local tool servers. */
export interface StdioMcpOptions {
  /**
   * Allowed commands: the exact string, or the base name of a command or absolute path. Default: none.
   * Arguments are not checked: a command whose arguments evaluate code (`node -e`, `npx`, a shell) gives
   * its users the rights of this process.
   */
  readonly commands?: readonly string[]
  /**
   * Name of the setting that lists the commands, for error messages. Default: `commands` of createStdioMcp.
   */
  readonly setting?: string
  /** For remote servers. Default: the platform's guarded fetch. */
  readonly fetch?: typeof fetch
  /** Environment variables passed to local commands in addition to their own, such as PATH. */
  readonly environment?: Readonly<Record<string, string>>
}

interface Command {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
}

/**
 * Connects to tool servers, including the listed local commands (stdio). The flow service starts local
 * commands only for superusers; a host that passes this service to `runFlow` decides for itself.
 */
export function createStdioMcp({
  commands = [],
  setting = 'the option commands of createStdioMcp',
  fetch: given,
  environment = {},
}: StdioMcpOptions = {}): McpService {
  return {
    async connect({ config }, { signal }) {
      const command = readCommand(config)
      if (command !== undefined) {
        checkCommand(command, commands, setting)
        return await connectCommand(command, environment, signal)
      }
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

/** Variables that change which program or code a listed command runs. */
const REDIRECTING =
  /^(PATH|PATHEXT|COMSPEC|SHELL|ENV|BASH_ENV|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|(LD|DYLD|NPM_CONFIG|UV|PIP)_.*)$/i

/** @throws FlowError `forbidden` naming the setting */
function checkCommand(
  { command, env }: Command,
  commands: readonly string[],
  setting: string,
): void {
  const isAbsolute = command.startsWith('/') || /^[a-z]:[\\/]/i.test(command)
  const baseName = isAbsolute ? command.replace(/^.*[\\/]/, '') : command
  if (!commands.includes(command) && !commands.includes(baseName))
    throw new FlowError(
      'forbidden',
      `The command ${command} is not allowed; commands are listed in ${setting}`,
    )
  const name = Object.keys(env).find((variable) => REDIRECTING.test(variable))
  if (name !== undefined)
    throw new FlowError('forbidden', `The variable ${name} cannot be set for a local command`)
}

async function connectCommand(
  { command, args, env }: Command,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<McpClient> {
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    loadMcp(),
    import('@modelcontextprotocol/client/stdio').catch(refuseMissing),
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
      : new FlowError('component_failed', `The tool server ${command} cannot be started`, {
          status: 502,
          cause: error,
        })
  }
  return asMcpClient(client)
}
