// Loaded before a server that is measured as it is shipped: answers as `reportUsage` does.
process.channel?.unref()
process.on('message', ({ kind }) => {
  if (kind !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'usage', cpu: user + system, rss: process.memoryUsage.rss() })
})
