import { limitError } from '../diagnostics/errors.ts'

/** Runs calls sequentially, whether or not earlier ones failed. */
export type CallQueue = (work: () => Promise<void>) => Promise<void>

/** A queue of at most `maximum` calls; further ones reject with `limit_exceeded`. */
export function createCallQueue(maximum: number): CallQueue {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (work) => {
    if (waiting >= maximum) {
      const detail = `There may be ${maximum} calls waiting. Await the calls of a writer.`
      return Promise.reject(limitError('waitingCalls', detail))
    }
    waiting += 1
    const result = last.then(work).finally(() => {
      waiting -= 1
    })
    last = result.catch(() => undefined)
    return result
  }
}
