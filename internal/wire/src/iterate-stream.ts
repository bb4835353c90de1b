/** Iterates a stream and cancels it on early exit. Not every runtime supports async iteration of streams. */
export async function* iterateStream<Item>(stream: ReadableStream<Item>): AsyncGenerator<Item> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
