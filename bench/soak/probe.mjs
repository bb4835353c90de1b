// Loaded before the server: answers the soak what no request can ask.
process.channel?.unref()
process.on('message', () => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  process.send?.({ rss, heap: heapUsed + external, handles })
})
