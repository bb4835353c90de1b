import { createSystemRuntime, isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { createDataFrame, errorText } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import type { ComponentTool } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { templateField } from '@x/flow-engine/internal'
import { reportedCall } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'
import type { RefreshContext } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { McpClient, McpResult, McpTool } from '@x/flow-engine'
import { toolMetadataField, toolRow } from '@x/flow-engine/internal'
import { argumentFields, callArguments } from './mcp-arguments.ts'
import { isMissingPackage } from './mcp-package.ts'
import { listMcpTools, readServerChoice, withMcpServer } from './mcp-server.ts'

const fields = {
  mcp_server: field.mcp({ displayName: 'MCP Server', refresh: true }),
  use_cache: field.bool({
    displayName: 'Use Cached Server',
    advanced: true,
    info: 'Load the list of tools once per run.',
  }),
  verify_ssl: field.bool({
    displayName: 'Verify SSL Certificate',
    default: true,
    advanced: true,
  }),
  tool: field.dropdown({
    displayName: 'Tool',
    required: true,
    show: false,
    refresh: true,
    options: [],
  }),
  headers: field.dict({
    displayName: 'Headers',
    info: "Sent in addition to the server's configured headers.",
    list: true,
    default: {},
    advanced: true,
    newer: true,
  }),
  tool_execution_timeout: field.float({
    displayName: 'Tool Execution Timeout (seconds)',
    info: 'At most 3,600; 0 for 60.',
    default: 0,
    min: 0,
    max: 3600,
    step: 0.01,
    advanced: true,
    newer: true,
  }),
  tool_placeholder: field.text({ displayName: 'Tool Placeholder', show: false }),
}

type McpInputs = Values<typeof fields>

/** Calls a tool of an MCP server, or supplies all its tools to an agent. */
export const mcpTools = defineComponent({
  type: 'MCPTools',
  furtherFields: true,
  displayName: 'MCP Tools',
  description: 'Calls a tool of an MCP server, or makes its tools available to an agent.',
  icon: 'Mcp',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.mcp_component.MCPToolsComponent',
  aliases: ['MCP'],
  inputs: fields,
  outputs: {
    response: output.dataFrame({
      displayName: 'Response',
      method: 'build_output',
      async run(inputs, ctx) {
        if (inputs.tool === '') return [{ error: 'You must select a tool' }]
        try {
          return createDataFrame(await callTool(inputs, ctx))
        } catch (error) {
          ctx.signal.throwIfAborted()
          if (isMissingPackage(error)) throw error
          throw new TypeError(`Error in build_output: ${errorText(error)}`, { cause: error })
        }
      },
    }),
  },
  async toTools(inputs, ctx) {
    const server = serverOf(inputs)
    const tools = await listMcpTools(server, ctx, { cached: inputs.use_cache })
    return tools.map((tool) => asComponentTool(tool, inputs))
  },
  async refresh(template, name, _value, ctx) {
    if (name === 'mcp_server' || name === 'tool_mode') await offerTools(template, ctx)
    if (name === 'tool') await showArguments(template, ctx)
  },
})

type ServerInputs = Pick<McpInputs, 'mcp_server' | 'verify_ssl'> &
  Partial<Pick<McpInputs, 'headers'>>

/** Returns the selected server; certificate checks are part of its configuration, like headers. */
function serverOf({ mcp_server: value, verify_ssl: verify, headers = {} }: ServerInputs) {
  const server = readServerChoice(value)
  const more = headersOf(headers)
  if (verify && Object.keys(more).length === 0) return server
  const config: { readonly headers?: unknown } = server.config ?? {}
  const own = isObject(config.headers) ? config.headers : {}
  return {
    ...server,
    config: {
      ...config,
      ...(verify ? {} : { verify_ssl: false }),
      ...(Object.keys(more).length === 0 ? {} : { headers: { ...own, ...more } }),
    },
  }
}

/** Reads headers from an object, or from rows of `key` and `value`, which a table merges into one object. */
function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const { key, value, ...rest } = headers
  const isRow = typeof key === 'string' && value !== undefined
  const pairs = Object.entries(isRow ? { ...rest, [key]: value } : headers)
  return Object.fromEntries(
    pairs.flatMap(([name, text]) =>
      typeof text === 'string' && name !== '' ? [[name, text]] : [],
    ),
  )
}

const TOOL_TIMEOUT_MS = 60_000

/** @throws TypeError when the tool exceeds its timeout */
async function callInTime(
  client: McpClient,
  call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  { inputs, ctx }: { readonly inputs: McpInputs; readonly ctx: ComponentContext },
): Promise<McpResult> {
  const seconds = Math.min(inputs.tool_execution_timeout, 3600)
  const timeoutMs = seconds > 0 ? seconds * 1000 : TOOL_TIMEOUT_MS
  const done = new AbortController()
  const late = new AbortController()
  void ctx.runtime.sleep(timeoutMs, done.signal).then(
    () => late.abort(new TypeError(`The tool ${call.name} took longer than ${timeoutMs / 1000} s`)),
    () => undefined,
  )
  const signal = AbortSignal.any([ctx.signal, late.signal])
  try {
    const facts = { kind: 'mcp', name: call.name, input: () => call.args } as const
    return await reportedCall(ctx, facts, () =>
      client.callTool(call.name, call.args, { signal, timeoutMs }),
    )
  } catch (error) {
    late.signal.throwIfAborted()
    throw error
  } finally {
    done.abort()
  }
}

async function callTool(inputs: McpInputs, ctx: ComponentContext): Promise<Row[]> {
  const server = serverOf(inputs)
  const tools = await listMcpTools(server, ctx, { cached: inputs.use_cache })
  const tool = tools.find(({ name }) => name === inputs.tool)
  if (tool === undefined) {
    throw new TypeError(`Tool '${inputs.tool}' not found on the server ${server.name}`)
  }
  const args = callArguments(tool, { ...inputs })
  const { content } = await withMcpServer(server, ctx, (client) =>
    callInTime(client, { name: tool.name, args }, { inputs, ctx }),
  )
  return content.map(rowOf)
}

/** Text that contains a JSON object becomes that object; other items are unchanged. */
function rowOf(item: object): Row {
  const { type, text } = item as { type?: unknown; text?: unknown }
  if (type === 'text' && typeof text === 'string') {
    const parsed = parse(text)
    if (isObject(parsed)) return parsed
  }
  return { ...item }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function asComponentTool(tool: McpTool, inputs: McpInputs): ComponentTool {
  return {
    name: tool.name.replaceAll(/[^A-Za-z0-9_-]/g, '-'),
    description: tool.description ?? tool.name,
    parameters: tool.inputSchema,
    call: (args, ctx) =>
      withMcpServer(serverOf(inputs), ctx, (client) =>
        callInTime(client, { name: tool.name, args }, { inputs, ctx }),
      ),
  }
}

const runtime = createSystemRuntime()

/** Lists the tools of the server in the template; empty if no server is selected. */
async function serverTools(
  template: NodeTemplate,
  ctx: RefreshContext,
): Promise<readonly McpTool[]> {
  const value = templateField(template, 'mcp_server')?.value
  if (!isObject(value) || Object.keys(value).length === 0) return []
  const { services, userId, signal } = ctx
  return listMcpTools(readServerChoice(value), { services, userId, signal, runtime })
}

/** Updates the list of tools or actions after the server or tool mode changed. */
async function offerTools(template: NodeTemplate, ctx: RefreshContext): Promise<void> {
  const tools = await serverTools(template, ctx)
  removeArguments(template)
  const chooser = templateField(template, 'tool')
  if (chooser !== undefined) {
    chooser.options = tools.map(({ name }) => name)
    chooser.value = ''
    chooser.show = tools.length > 0 && !ctx.toolMode
  }
  if (!ctx.toolMode) return
  const before = templateField(template, 'tools_metadata')?.value
  const rows = tools.map(({ name, description = name, inputSchema: parameters }) =>
    toolRow({ name, description, parameters }),
  )
  template.tools_metadata = toolMetadataField(rows, before)
}

/** Creates a field for each argument of the newly selected tool. */
async function showArguments(template: NodeTemplate, ctx: RefreshContext): Promise<void> {
  const chosen = templateField(template, 'tool')?.value
  const tool = (await serverTools(template, ctx)).find(({ name }) => name === chosen)
  const kept = new Map(
    argumentNames(template).map((name) => [name, templateField(template, name)?.value]),
  )
  removeArguments(template)
  for (const [name, definition] of Object.entries(tool === undefined ? {} : argumentFields(tool))) {
    if (OWN_FIELDS.has(name)) continue
    const made = ctx.field(name, definition)
    template[name] = kept.has(name) ? { ...made, value: kept.get(name) } : made
  }
}

const OWN_FIELDS = new Set([
  '_type',
  'code',
  'mcp_server',
  'use_cache',
  'verify_ssl',
  'tool',
  'tool_placeholder',
  'tools_metadata',
])

function argumentNames(template: NodeTemplate): string[] {
  return Object.keys(template).filter((name) => !OWN_FIELDS.has(name))
}

function removeArguments(template: NodeTemplate): void {
  for (const name of argumentNames(template)) delete template[name]
}
