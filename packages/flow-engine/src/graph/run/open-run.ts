import type { ChildRunOptions, ChildRunResult } from '../../components/define/context.ts'
import { FlowError, isFlowError } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { CheckedRun } from '../context/checked-run.ts'
import { LazySignal } from '../context/lazy-signal.ts'
import type { ChildPlace, DurableOperations } from '../context/run-context.ts'
import type { QuestionNotice } from '../context/run-host.ts'
import type { FlowRun, RunResult } from '../context/run-options.ts'
import { OPEN_CARD, questionCard } from '../durable/question-card.ts'
import type { RunEvent } from '../events/run-event.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import type { FlowProblem } from '../flow/problems.ts'
import { RunOutcome } from '../results/run-outcome.ts'
import { textStream, writersOf } from '../results/text-stream.ts'
import { runChild, type StartRun } from './child-run.ts'
import { DurableCalls } from './durable-calls.ts'

/** A run as its caller and its components see it. */
export abstract class OpenRun extends CheckedRun implements FlowRun {
  readonly outcome = new RunOutcome(this)
  /** Components' calls are ignored once the run was stopped. */
  protected phase: 'running' | 'stopping' | 'ended' = 'running'
  protected readonly stopSignal = new LazySignal()
  #writers: ReturnType<typeof writersOf> | undefined
  #durable: DurableCalls | undefined
  #nested: { runs: number } | undefined

  readonly cancel: FlowRun['cancel'] = (reason) => this.stop(cancelReason(reason))

  abstract readonly result: Promise<RunResult>
  protected abstract stop(reason: FlowError): void
  /** Starts a run within this one. */
  protected abstract readonly start: StartRun

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.cancel(this.options.signal?.reason)
  }

  get textStream(): AsyncIterable<string> {
    return textStream({
      events: () => this,
      result: () => this.result,
      writes: (vertexId) => (this.#writers ??= writersOf(this))(vertexId),
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.log.read()
  }

  /** Printed or as JSON a run is its id: it holds keys. */
  toJSON(): { readonly id: string } {
    return { id: this.id }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `FlowRun ${this.id}`
  }

  get durable(): DurableOperations {
    return (this.#durable ??= new DurableCalls(this))
  }

  async runFlow(flow: FlowJson, child: ChildRunOptions, from: ChildPlace): Promise<ChildRunResult> {
    const nested = (this.#nested ??= this.host.nested ?? { runs: 0 })
    const result = await runChild(this, flow, { child, nested, startRun: this.start, ...from })
    this.usage(from.vertexId, result.usage)
    return result
  }

  get signal(): AbortSignal {
    return this.stopSignal.signal
  }

  open(): boolean {
    return this.phase === 'running'
  }

  usage(vertexId: string, used: TokenUsage): void {
    this.outcome.use(vertexId, used)
  }

  /** Once for each place, however often it is built. */
  warn(problem: FlowProblem): void {
    const { warnings } = this.outcome
    const { code, nodeId, field } = problem
    const isKnown = (known: FlowProblem): boolean =>
      known.code === code && known.nodeId === nodeId && known.field === field
    if (!warnings.some(isKnown)) warnings.push(problem)
  }

  /** Withdraws the messages that an earlier run of the job left unfinished, then begins. */
  protected afterRetraction(begin: () => void): void {
    const { resume, report } = this.host
    const { unfinished = [] } = resume ?? {}
    if (unfinished.length === 0) return begin()
    const beginIfOpen = (): void => {
      if (this.open()) begin()
    }
    // A message service that fails is reported and prevents nothing.
    this.messages.retract(unfinished).then(beginIfOpen, (error: unknown) => {
      report?.(error)
      beginIfOpen()
    })
  }

  /** Shows the question of a run that waits in the conversation, then in the log. */
  protected async announce(notice: QuestionNotice | undefined): Promise<void> {
    if (notice === undefined) return
    // A message service that fails must not prevent an answer.
    await this.messages.place(questionCard(notice, OPEN_CARD), false).catch(() => undefined)
    if (this.open()) this.send('suspended', () => notice.event)
  }
}

/** The error that ends a run its caller has cancelled. */
function cancelReason(reason: unknown): FlowError {
  if (isFlowError(reason)) return reason
  return new FlowError('cancelled', 'The run was cancelled', { cause: reason })
}
