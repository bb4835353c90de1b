import { createSystemRuntime, type Runtime } from '@x/wire'
import { StoreUnavailableError } from '../store/errors.ts'

/** Runs tasks sequentially. */
export type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>

/** A task that waits longer than `waitMs` is not run; it rejects with a StoreUnavailableError. */
export function createQueue(
  waitMs: number,
  runtime: Pick<Runtime, 'sleep'> = createSystemRuntime(),
): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const settled = (): void => {
    waiting -= 1
  }
  const delayed = async <Result>(
    turn: Promise<unknown>,
    task: () => Promise<Result>,
  ): Promise<Result> => {
    const granted = new AbortController()
    const expired = runtime.sleep(waitMs, granted.signal).then(
      () => true,
      () => false,
    )
    if (await Promise.race([turn.then(() => false), expired])) {
      throw new StoreUnavailableError('The store is held by another transaction')
    }
    granted.abort('granted')
    return task()
  }
  return (task) => {
    const turn = last
    const result = waiting === 0 ? task() : delayed(turn, task)
    waiting += 1
    // A caller that gives up must not let the next one overtake the task that holds the store.
    last = Promise.allSettled([turn, result]).then(settled)
    return result
  }
}
