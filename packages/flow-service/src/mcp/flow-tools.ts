import type { ComponentRegistry } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import { compileFlow, type FlowPlan } from '@x/flow-engine'
import type { RunLimits } from '@x/flow-engine'
import type { Tweaks } from '@x/flow-engine'
import { toolInputsOf } from './input-schema.ts'
import type { ListedTool, ToolAnnotations } from './mcp-server.ts'
import { baseToolName, nameTools } from './tool-name.ts'

/** A flow offered as a tool, and how it is presented. */
export interface FlowToolOptions {
  readonly flow: FlowJson
  /** Letters, digits, `_` and `-`, at most 64. Default: derived from the flow name. */
  readonly name?: string
  readonly title?: string
  readonly description?: string
  readonly annotations?: ToolAnnotations
  /** Field values for every run. */
  readonly tweaks?: Tweaks
}

/** A compiled flow with its description. */
export interface FlowTool {
  readonly listed: ListedTool
  readonly flow: FlowJson
  readonly plan: FlowPlan
  readonly tweaks: Tweaks | undefined
}

export interface FlowToolsOptions {
  readonly components: ComponentRegistry
  readonly limits?: Partial<RunLimits> | undefined
  readonly customCode: boolean
}

/**
 * Compiles flows, keyed by their tool names.
 * @throws FlowCompileError if a flow cannot be compiled
 * @throws TypeError for an invalid or duplicate name
 */
export function compileTools(
  given: readonly (FlowJson | FlowToolOptions)[],
  options: FlowToolsOptions,
): ReadonlyMap<string, FlowTool> {
  const tools = given.map(readTool)
  const names = new Set<string>()
  for (const { name } of tools) {
    if (name === undefined) continue
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new TypeError(`The tool name ${JSON.stringify(name)} must match [A-Za-z0-9_-]{1,64}`)
    if (names.has(name)) throw new TypeError(`Two tools are called ${name}`)
    names.add(name)
  }
  const unnamed = tools.filter(({ name }) => name === undefined)
  const found = nameTools(unnamed, ({ flow }) => baseNameOf(flow), names)
  const nameOf = new Map([...found].map(([name, tool]) => [tool, name]))
  return new Map(
    tools.map((tool) => {
      const name = tool.name ?? nameOf.get(tool) ?? ''
      return [name, toolOf(name, tool, options)] as const
    }),
  )
}

function readTool(given: FlowJson | FlowToolOptions): FlowToolOptions {
  return 'flow' in given ? (given as FlowToolOptions) : { flow: given }
}

function toolOf(
  name: string,
  { flow, title, description, annotations, tweaks }: FlowToolOptions,
  { components, limits, customCode }: FlowToolsOptions,
): FlowTool {
  const plan = compileFlow(flow, { components, limits, customCode })
  const listed: ListedTool = {
    name,
    title: title ?? textOf(flow, 'name') ?? name,
    description:
      description || textOf(flow, 'description') || `Tool generated from flow: ${baseNameOf(flow)}`,
    inputSchema: toolInputsOf(plan).schema,
    ...(annotations === undefined ? {} : { annotations }),
  }
  return { listed, flow, plan, tweaks }
}

function baseNameOf(flow: FlowJson): string {
  const id = textOf(flow, 'id') ?? '00000000'
  return baseToolName({ id, name: textOf(flow, 'name') ?? '', actionName: null })
}

function textOf(flow: FlowJson, key: 'id' | 'name' | 'description'): string | undefined {
  const value: unknown = Reflect.get(flow, key)
  return typeof value === 'string' ? value : undefined
}
