import { isObject } from '@x/wire'
import { FinishedRun } from '@x/flow-engine/internal'
import type { RunResult } from '@x/flow-engine'
import { toText } from '@x/flow-engine'
import { isDataFrame } from '@x/flow-engine'
import { isData } from '@x/flow-engine'
import { formatValue } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'

/** A content item of a result. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType: string
    }

/** The result of a tool call. */
export interface ToolResult {
  readonly content: readonly ToolContent[]
  readonly structuredContent?: object
  readonly isError: boolean
}

/** A run that waits for an answer from the client's user. */
export interface InputRequired {
  readonly resultType: 'input_required'
  readonly inputRequests: Readonly<Record<string, object>>
  /** Opaque; sent back with the answer. */
  readonly requestState: string
}

/** Returns the link of a file that a message refers to, if there is one. */
export type LinkOf = (path: string) => Omit<FileLink, 'type'> | undefined
type FileLink = Extract<ToolContent, { type: 'resource_link' }>

/** A failure returned as a result, for the model behind the client to read. */
export function failedResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * The result of a successful run: message texts in node order, else the texts of other values,
 * without duplicates, followed by the messages' files. The run's secrets are masked.
 */
export function toolResult(result: RunResult, linkOf: LinkOf = () => undefined): ToolResult {
  const secrets = FinishedRun.notesOf(result)?.secrets
  const values = result.outputs.map(({ outputs }) => Object.values(outputs))
  const texts = new Set(values.flatMap(textsOf).map((text) => secrets?.mask(text) ?? text))
  const files = values.flat().flatMap((value) => (isMessage(value) ? value.files : []))
  const [only] = values.length === 1 ? values.flat() : []
  const structured = values.flat().length === 1 ? structuredOf(only) : undefined
  return {
    content: [
      ...Array.from(texts, (text) => ({ type: 'text' as const, text })),
      ...links(files, linkOf),
    ],
    ...(structured === undefined
      ? {}
      : { structuredContent: secrets?.maskJson(structured) ?? structured }),
    isError: false,
  }
}

/** The texts of one vertex. */
function textsOf(values: readonly unknown[]): string[] {
  const messages = values.filter(isMessage)
  const chosen = messages.length > 0 ? messages : values
  return chosen.map((value) => toText(value))
}

function structuredOf(value: unknown): object | undefined {
  if (isMessage(value)) return undefined
  if (isDataFrame(value)) return { rows: formatValue(value) }
  const json: unknown = isData(value) || isObject(value) ? formatValue(value) : undefined
  return isObject(json) ? json : undefined
}

function links(files: readonly unknown[], linkOf: LinkOf): ToolContent[] {
  return files.flatMap((file) => {
    const path = typeof file === 'string' ? file : isObject(file) ? file['path'] : undefined
    const link = typeof path === 'string' ? linkOf(path) : undefined
    return link === undefined ? [] : [{ type: 'resource_link' as const, ...link }]
  })
}
