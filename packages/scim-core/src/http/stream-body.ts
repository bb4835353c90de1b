import type { StreamedText } from '../resource/body-text.ts'

/** Characters buffered before they are written. */
const CHUNK = 65_536

/** Callbacks for the end of a streamed body. */
export interface StreamEnd {
  readonly onEnd: () => void
  /** Called if the client disconnects. */
  readonly onCancel: () => void
  readonly onError: (error: unknown) => void
}

/** Streams a text, generated as fast as it is read. */
export function streamBody(
  text: StreamedText,
  { onEnd, onCancel, onError }: StreamEnd,
): ReadableStream<Uint8Array> {
  const parts = text.parts()[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let isCancelled = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { chunk, isLast } = await gather(parts)
          if (isCancelled) return
          if (chunk !== '') controller.enqueue(encoder.encode(chunk))
          if (!isLast) return
          controller.close()
          onEnd()
        } catch (error) {
          if (isCancelled) return
          onError(error)
          controller.error(error)
        }
      },
      async cancel() {
        // A chunk that is still being gathered is discarded.
        isCancelled = true
        onCancel()
        await parts.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}

async function gather(
  parts: AsyncIterator<string>,
): Promise<{ readonly chunk: string; readonly isLast: boolean }> {
  let chunk = ''
  while (chunk.length < CHUNK) {
    const next = await parts.next()
    if (next.done === true) return { chunk, isLast: true }
    chunk += next.value
  }
  return { chunk, isLast: false }
}
