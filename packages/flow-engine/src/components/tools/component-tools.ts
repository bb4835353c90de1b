import { toPlain } from '../../graph/values/convert.ts'
import { isData } from '../../graph/values/data.ts'
import { isDataFrame } from '../../graph/values/data-frame.ts'
import { formatValue } from '../../graph/values/format-value.ts'
import { isMessage, readText } from '../../graph/values/message.ts'
import { isFlowError, isSuspendedError } from '../../errors.ts'
import type { Tool } from '../../models/chat-model.ts'
import type { Component, ComponentTool } from '../define/component.ts'
import type { ComponentContext } from '../define/context.ts'
import type { OutputDefinition } from '../define/output.ts'
import { toOutputValue } from '../values/output-values.ts'
import { applyToolRows } from './tool-metadata.ts'
import { toolSchema } from './tool-schema.ts'

/** Engine services for the tools of a node. */
export interface ToolHost {
  readonly vertexId: string
  /** The node's own unconverted values; undefined for fields without a value. */
  readonly values: Readonly<Record<string, unknown>>
  /** The value of `tools_metadata`, which contains the user's edits. */
  readonly metadata?: unknown
  /**
   * Converts the node's values, overridden by `args`, as for a run and creates a new context with `asTool`
   * set, messages muted and the signal of the call.
   */
  open(
    args: Readonly<Record<string, unknown>>,
    call?: ToolCallOptions,
  ): Promise<{ inputs: Readonly<Record<string, unknown>>; ctx: ComponentContext }>
}

/** Options of a tool call. */
export interface ToolCallOptions {
  readonly signal: AbortSignal
  /** Identifies the call within its run. */
  readonly scope?: string
}

/**
 * Creates the tools of a node in tool mode. A call rejects only when aborted or
 * suspended.
 */
export async function componentTools(component: Component, host: ToolHost): Promise<Tool[]> {
  const own = component.toTools === undefined ? undefined : await ownTools(component, host)
  const tools = own ?? outputTools(component, host)
  return applyToolRows(tools, host.metadata)
}

/** Returns name, description and arguments of each output that can be used as a tool. */
export function toolOutputs(
  component: Component,
  values: Readonly<Record<string, unknown>> = {},
): { output: string; name: string; description: string; parameters: object }[] {
  return Object.entries(component.outputs)
    .filter(([, definition]) => servesAsTool(definition))
    .map(([output, definition]) => ({
      output,
      name: toolName(definition.method ?? output),
      description: component.description ?? component.displayName,
      parameters: toolSchema(component, definition, values),
    }))
}

/** Converts an output's value for the model. */
export async function outputForModel(value: unknown): Promise<unknown> {
  if (isMessage(value)) return readText(value.text)
  if (isData(value) || isDataFrame(value)) return toPlain(value)
  return typeof value === 'string' ? value : formatValue(value)
}

function servesAsTool({ toolMode, types, dynamic }: OutputDefinition): boolean {
  return toolMode !== false && dynamic !== true && !types.includes('Tool')
}

function toolName(method: string): string {
  return method.replaceAll(/[^A-Za-z0-9_-]/g, '-')
}

function outputTools(component: Component, host: ToolHost): Tool[] {
  return toolOutputs(component, host.values).map(({ output, name, description, parameters }) =>
    makeTool({ name, description, parameters }, host, async (args, options) => {
      const known = Object.keys(Reflect.get(parameters, 'properties') as object)
      const { inputs, ctx } = await host.open(pick(args, known), options)
      await component.prepare?.(inputs, ctx)
      const definition = component.outputs[output]
      return toOutputValue(definition?.outputKind ?? 'any', await definition?.run(inputs, ctx))
    }),
  )
}

async function ownTools(component: Component, host: ToolHost): Promise<Tool[]> {
  const { inputs, ctx } = await host.open({})
  const tools = (await component.toTools?.(inputs, ctx)) ?? []
  return tools.map((tool: ComponentTool) =>
    makeTool(tool, host, async (args, options) => {
      const opened = await host.open({}, options)
      return tool.call(args, opened.ctx)
    }),
  )
}

type Call = (args: Readonly<Record<string, unknown>>, options: ToolCallOptions) => unknown

function makeTool(
  { name, description, parameters, returnDirect }: Omit<ComponentTool, 'call'>,
  host: ToolHost,
  call: Call,
): Tool {
  return {
    name,
    description,
    parameters,
    tags: [name],
    ...(returnDirect === undefined ? {} : { returnDirect }),
    vertexId: host.vertexId,
    async call(args, options) {
      const { signal } = options
      try {
        return await outputForModel(await call(asArguments(args), options))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        // The agent suspends too and repeats the call later.
        if (isSuspendedError(error)) throw error
        // An agent that must not ask on could only ask again.
        if (isFlowError(error) && error.code === 'budget_exceeded') throw error
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}

function asArguments(args: unknown): Readonly<Record<string, unknown>> {
  if (args === null || args === undefined) return {}
  if (typeof args === 'object' && !Array.isArray(args)) return args as Record<string, unknown>
  throw new TypeError('The arguments of a tool must be an object')
}

function pick(args: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name]]),
  )
}
