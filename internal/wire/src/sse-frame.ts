/** Fields of a server-sent event. */
export interface SseFields {
  readonly data: string
  /** The event name. */
  readonly event?: string | undefined
  readonly id?: string | undefined
}

/**
 * The text of a server-sent event, up to the blank line that ends it. `data` may have several lines; `event`
 * and `id` must not contain a line break.
 */
export function formatSseFrame({ data, event, id }: SseFields): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const eventLine = event === undefined ? '' : `event: ${event}\n`
  return `${idLine}${eventLine}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
}

/** The text of a comment, which keeps an idle connection open. */
export const formatSseComment = (text: string): string => `: ${text}\n\n`
