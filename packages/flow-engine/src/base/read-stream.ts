/** The items of a stream; leaving it early cancels it. Not every runtime can iterate streams. */
export async function* readStream<Item>(stream: ReadableStream<Item>): AsyncGenerator<Item> {
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
