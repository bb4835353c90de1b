import type { FlowRecord } from '../../store/flows.ts'

/** A flow as shown; bundled examples have no owner. */
export type ShownFlow = Omit<FlowRecord, 'userId' | 'createdAt' | 'webhookName'> & {
  readonly userId: string | null
}

/** Whole seconds with `+00:00`, in the reference's format. */
export function formatFlowTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}+00:00`
}

/**
 * Serialises a flow: 19 keys, 20 with `fsPath`. The graph is inserted as stored, so that reading a flow
 * parses nothing.
 */
export function flowToText(flow: ShownFlow, { fsPath = false }: { fsPath?: boolean } = {}): string {
  const head = {
    name: flow.name,
    description: flow.description,
    icon: flow.icon,
    icon_bg_color: flow.iconBgColor,
    gradient: flow.gradient,
  }
  const tail = {
    is_component: flow.isComponent,
    updated_at: formatFlowTime(flow.updatedAt),
    webhook: flow.webhook,
    endpoint_name: flow.endpointName,
    tags: flow.tags,
    locked: flow.locked,
    mcp_enabled: flow.mcpEnabled,
    action_name: flow.actionName,
    action_description: flow.actionDescription,
    access_type: flow.accessType,
    id: flow.id,
    user_id: flow.userId,
    folder_id: flow.folderId,
    ...(fsPath ? { fs_path: flow.fsPath } : {}),
  }
  return spliced(head, flow.data, tail)
}

/** Serialises a flow header: 12 keys; only components include the graph. */
export function flowHeaderToText(flow: ShownFlow): string {
  const head = {
    id: flow.id,
    name: flow.name,
    folder_id: flow.folderId,
    is_component: flow.isComponent,
    endpoint_name: flow.endpointName,
    description: flow.description,
  }
  const tail = {
    access_type: flow.accessType,
    tags: flow.tags,
    mcp_enabled: flow.mcpEnabled,
    action_name: flow.actionName,
    action_description: flow.actionDescription,
  }
  return spliced(head, flow.isComponent ? flow.data : null, tail)
}

/** A JSON array of serialised items. */
export function listOfTexts(texts: readonly string[]): string {
  return `[${texts.join(',')}]`
}

/** Characters of a part of a list. */
const PART = 64 * 1024

/**
 * Like `listOfTexts`, in parts that are each serialised on demand.
 * @param around text before and after the array
 */
export function listParts<T>(
  pages: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  write: (item: T) => string,
  [before, after] = ['', ''],
): AsyncGenerator<string> {
  return joinedParts(pages, write, [`${before}[`, `]${after}`])
}

/** Serialised items with commas between them, in parts. */
export async function* joinedParts<T>(
  pages: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  write: (item: T) => string,
  [before, after]: readonly [before: string, after: string],
): AsyncGenerator<string> {
  let text = before
  let isFirst = true
  for await (const items of pages) {
    for (const item of items) {
      text += isFirst ? write(item) : `,${write(item)}`
      isFirst = false
      if (text.length < PART) continue
      yield text
      text = ''
    }
  }
  yield `${text}${after}`
}

/** The numbers of a page. */
export interface PageNumbers {
  readonly total: number
  readonly page: number
  readonly size: number
}

/** The text of a page before and after its items. */
export function pageAround({ total, page, size }: PageNumbers): [before: string, after: string] {
  const numbers = { total, page, size, pages: Math.ceil(total / size) }
  return ['{"items":', `,${JSON.stringify(numbers).slice(1)}`]
}

function spliced(head: object, data: string | null, tail: object): string {
  return `${JSON.stringify(head).slice(0, -1)},"data":${data ?? 'null'},${JSON.stringify(tail).slice(1)}`
}
