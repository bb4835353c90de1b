/**
 * Collects the calls of one turn of the event loop and passes them on together.
 * @param run settles each call itself
 * @param soon when a turn is over; default: with its microtasks
 */
export function together<Call, Result>(
  run: (
    calls: readonly {
      readonly call: Call
      readonly done: (result: Result) => void
      readonly failed: (error: unknown) => void
    }[],
  ) => Promise<void>,
  soon: (flush: () => void) => void = queueMicrotask,
): (call: Call) => Promise<Result> {
  let waiting: { call: Call; done: (result: Result) => void; failed: (error: unknown) => void }[] =
    []
  const flush = async (): Promise<void> => {
    const calls = waiting
    waiting = []
    try {
      await run(calls)
    } catch (error) {
      for (const { failed } of calls) failed(error)
    }
  }
  return (call) =>
    new Promise<Result>((done, failed) => {
      waiting.push({ call, done, failed })
      if (waiting.length === 1) soon(() => void flush())
    })
}
