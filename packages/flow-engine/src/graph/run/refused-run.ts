import { createSystemRuntime } from '@x/wire'
import { errorText } from '../../errors.ts'
import type { RunHost } from '../context/run-host.ts'
import type { FlowRun, RunOptions } from '../context/run-options.ts'
import { LazyEvent, type RunEvent } from '../events/run-event.ts'
import { createRunLog, type RunLog } from '../events/run-log.ts'
import { limitsOrDefault } from '../plan/limits.ts'
import { textStream } from '../results/text-stream.ts'
import { startFailureJson } from '../vertex/failure.ts'

/** A run that could not start: its events are `error` and `end`, and its result rejects. */
export class RefusedRun implements FlowRun {
  readonly id: string
  readonly result: FlowRun['result']
  readonly #log: RunLog

  constructor(thrown: unknown, options: RunOptions, { resume }: RunHost) {
    const { runtime = createSystemRuntime(), limits, flowId = null } = options
    const { bufferedTokens, eventBytes } = limitsOrDefault(limits)
    const log = createRunLog({ bufferedTokens, eventBytes, firstSeq: resume?.firstSeq ?? 0 })
    const reason = errorText(thrown)
    const now = runtime.now()
    log.push(new LazyEvent(log.nextSeq, 'error', () => startFailureJson(reason, flowId, now)))
    log.push({ seq: log.nextSeq, event: 'end', data: {} })
    log.close()
    this.id = runtime.uuid()
    this.result = Promise.reject(thrown)
    // An unobserved failure must not raise unhandledRejection.
    this.result.catch(() => undefined)
    this.#log = log
  }

  readonly cancel = (): void => undefined

  get textStream(): AsyncIterable<string> {
    return textStream({ events: () => this, result: () => this.result })
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.#log.read()
  }
}

/** A run with a wrong option: it has no events, and everything of it rejects. */
export function rejectedRun(thrown: unknown): FlowRun {
  const next = async (): Promise<never> => {
    throw thrown
  }
  const iterate = (): AsyncIterator<never> => ({ next })
  const result = next()
  // An unobserved failure must not raise unhandledRejection.
  result.catch(() => undefined)
  return {
    id: createSystemRuntime().uuid(),
    result,
    textStream: { [Symbol.asyncIterator]: iterate },
    cancel: () => undefined,
    [Symbol.asyncIterator]: iterate,
  }
}
