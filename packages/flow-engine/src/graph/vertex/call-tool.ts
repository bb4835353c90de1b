import { reportedCall } from '../../components/define/call-reporter.ts'
import type { Tool } from '../../models/chat-model.ts'
import type { RunContext } from '../context/run-context.ts'

export interface ToolCallRequest {
  readonly tool: Tool
  readonly args: unknown
  readonly options: { readonly signal: AbortSignal; readonly scope?: string }
}

/**
 * Calls a tool for a component and reports the call to hooks. The call is enclosed in `build_start` and
 * `build_end` of the component that provides the tool.
 * @param context the calling component's context; no events are sent once it is closed
 */
export async function callTool(
  run: RunContext,
  context: { readonly open: boolean },
  { tool, args, options }: ToolCallRequest,
): Promise<unknown> {
  const { vertexId: id } = tool
  const facts = { kind: 'tool', name: tool.name, input: () => args } as const
  await run.host.settle?.()
  const call = (): Promise<unknown> => reportedCall(context, facts, () => tool.call(args, options))
  if (id === undefined) return call()
  if (context.open) run.send('build_start', () => ({ id }))
  try {
    return await call()
  } finally {
    if (context.open) run.send('build_end', () => ({ id }))
  }
}
