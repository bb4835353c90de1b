/** Resolves after the tasks that wait now; needs no timer and no clock. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    // The one form that Node and web runtimes share; Node's own types know only its emitter.
    const port = port1 as typeof port1 & { onmessage: (() => void) | null }
    port.onmessage = () => {
      port.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
