/** CPU microseconds (user + system) since the start of the process, and resident bytes. */
export interface Usage {
  readonly cpu: number
  readonly rss: number
}

export type ToServer = { readonly kind: 'usage' }
export type FromServer =
  | { readonly kind: 'listening'; readonly port: number }
  | ({ readonly kind: 'usage' } & Usage)

/**
 * Called in the measured process once its server listens: tells the port to the process that started
 * it and answers its questions for CPU time and memory. Ends this process when that one is gone.
 */
export function reportUsage(port: number): void {
  process.on('message', (message: ToServer) => {
    if (message.kind !== 'usage') return
    const { user, system } = process.cpuUsage()
    tell({ kind: 'usage', cpu: user + system, rss: process.memoryUsage.rss() })
  })
  process.once('disconnect', () => process.exit(0))
  tell({ kind: 'listening', port })
}

function tell(message: FromServer): void {
  if (process.send === undefined) throw new Error('Start this file through startServer')
  process.send(message)
}
