import { isObject } from '@x/wire'
import type { TurnPart, TurnSource } from './turn-part.ts'

/** Entries that are shown as something else, or not at all. */
const HIDDEN: ReadonlySet<unknown> = new Set(['text', 'tool_use', 'human_input'])
/** Sources of one message. */
const MAX_SOURCES = 100

/** Blocks, files and sources that a message shows besides its text. */
export function shownEntries(
  messageId: string,
  entries: readonly Record<string, unknown>[],
): TurnPart[] {
  let sources = 0
  return entries
    .filter(({ type }) => !HIDDEN.has(type))
    .flatMap((block, index): TurnPart[] => {
      const id = `${messageId}:${index}`
      const named = sourcesOf(block)
      if (named === undefined) return [{ kind: 'block', id, block }]
      const kept = named.slice(0, MAX_SOURCES - sources)
      const first = sources
      sources += kept.length
      return kept.map((source, n) => ({ kind: 'source', id: `${messageId}:${first + n}`, source }))
    })
}

/** The sources of a `json` block whose data is `{sources}`. */
function sourcesOf({ type, data }: Record<string, unknown>): readonly TurnSource[] | undefined {
  if (type !== 'json' || !isObject(data)) return undefined
  const { sources, ...others } = data
  if (!Array.isArray(sources) || Object.keys(others).length > 0) return undefined
  return sources.flatMap((source: unknown) => {
    const read = isObject(source) ? readSource(source) : undefined
    return read === undefined ? [] : [read]
  })
}

function readSource({
  url,
  title,
  mediaType,
  filename,
}: Record<string, unknown>): TurnSource | undefined {
  if (typeof url === 'string') {
    if (!/^https?:\/\//i.test(url)) return undefined
    return { type: 'url', url, ...(typeof title === 'string' ? { title } : {}) }
  }
  if (typeof title !== 'string' || typeof mediaType !== 'string') return undefined
  return {
    type: 'document',
    title,
    mediaType,
    ...(typeof filename === 'string' ? { filename } : {}),
  }
}
