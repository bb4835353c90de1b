import { isObject } from '@x/wire'

/** A tool call as an agent's message shows it. */
export interface ToolStep {
  readonly name: string
  readonly input: unknown
  readonly output: unknown
  readonly error: unknown
}

/** The entries of a message's content blocks. */
export function blockEntries(blocks: readonly object[]): readonly Record<string, unknown>[] {
  return blocks.flatMap((block) => {
    const contents: unknown = Reflect.get(block, 'contents')
    return Array.isArray(contents) ? contents.filter(isObject) : []
  })
}

/** The tool calls among the entries, in order. */
export function toolSteps(entries: readonly Record<string, unknown>[]): readonly ToolStep[] {
  return entries.flatMap(({ type, name, tool_input: input, output, error }) =>
    type === 'tool_use'
      ? [
          {
            name: typeof name === 'string' ? name : '',
            input: input ?? {},
            output: output ?? null,
            error: error ?? null,
          },
        ]
      : [],
  )
}

/** Text unchanged, everything else as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
