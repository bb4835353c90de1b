/** Available in Node and Deno, but not in browsers and workers. */
const { setImmediate: immediately } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown
}

/** Resolves after the tasks that are currently queued; needs no timer and no clock. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (immediately === undefined) afterMessage(resolve)
    else immediately(resolve)
  })
}

function afterMessage(resolve: () => void): void {
  const { port1, port2 } = new MessageChannel()
  const receive = (): void => {
    port1.close()
    resolve()
  }
  // Node's types only declare the emitter, but it is an EventTarget too.
  const port = port1 as unknown as EventTarget & { start(): void }
  port.addEventListener('message', receive, { once: true })
  port.start()
  port2.postMessage(null)
}
