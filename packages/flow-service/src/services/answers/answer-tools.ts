import { isObject } from '@x/wire'
import type { MessageJson } from '@x/flow-engine'

/** A finished tool call of an agent in the flow. */
export interface AnswerTool {
  /** Counts from 0 within an answer. */
  readonly index: number
  readonly name: string
  readonly input: unknown
  readonly output: unknown
  /** Null if the call succeeded. */
  readonly error: string | null
}

/** Reads tool calls from the steps shown in agents' messages. */
export interface AnswerTools {
  /** The calls that have finished since the last call. */
  read(message: Pick<MessageJson, 'id' | 'content_blocks'>): AnswerTool[]
  /** The calls that were never reported as finished. */
  rest(): AnswerTool[]
  /** Everything returned by `read` and `rest`, in that order. */
  all(): readonly AnswerTool[]
}

export function createAnswerTools(): AnswerTools {
  const done = new Set<string>()
  const open = new Map<string, Record<string, unknown>>()
  const found: AnswerTool[] = []
  const take = (step: Record<string, unknown>): AnswerTool => {
    const tool = toolOf(step, found.length)
    found.push(tool)
    return tool
  }
  return {
    read({ id = '', content_blocks: blocks }) {
      return stepsOf(blocks).flatMap(([place, step]) => {
        const key = `${id}:${place}`
        if (done.has(key)) return []
        open.set(key, step)
        if (step['output'] === null && step['error'] === null) return []
        open.delete(key)
        done.add(key)
        return [take(step)]
      })
    },
    rest() {
      const steps = [...open.values()]
      open.clear()
      return steps.map(take)
    },
    all: () => found,
  }
}

/** Steps keyed by their position in the message, which does not change. */
function stepsOf(blocks: readonly object[]): (readonly [string, Record<string, unknown>])[] {
  return blocks.flatMap((block, at) => {
    const contents: unknown = Reflect.get(block, 'contents')
    return Array.isArray(contents)
      ? contents.flatMap((step: unknown, index) =>
          isObject(step) && step['type'] === 'tool_use' ? [[`${at}.${index}`, step] as const] : [],
        )
      : []
  })
}

function toolOf(step: Record<string, unknown>, index: number): AnswerTool {
  const { name, tool_input: input, output, error } = step
  return {
    index,
    name: typeof name === 'string' ? name : '',
    input: input ?? {},
    output: output ?? null,
    error: error === null || error === undefined ? null : textOrJson(error),
  }
}

/** Converts a value to text: strings unchanged, everything else as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
