import { isObject } from '@x/wire'
import type { SuspendOptions } from '../../components/define/suspend-options.ts'
import { FlowError, SuspendedError } from '../../errors.ts'
import type { CheckedRun } from '../context/checked-run.ts'
import type { DurableOperations } from '../context/run-context.ts'
import type { CallPlace, QuestionNotice, RunHost } from '../context/run-host.ts'
import { notKept } from '../durable/durable-task.ts'
import { makeAsk, transformAnswer } from '../durable/ask.ts'
import {
  decodeValue,
  encodeJson,
  encodeValue,
  SUSPENDED_MARK,
  startMark,
} from '../durable/checkpoint.ts'
import { iterationOf } from '../schedule/iteration-of.ts'
import { questionCard, submittedAction, type CardState } from '../durable/question-card.ts'
import { durationText, wakeTime } from '../durable/sleep-time.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'

/** The durable operations of components: questions, sleeps and steps. */
export class DurableCalls implements DurableOperations {
  readonly #run: CheckedRun
  /** Steps of this run and earlier ones, by name. */
  readonly #steps: Map<string, string>

  constructor(run: CheckedRun) {
    this.#run = run
    this.#steps = new Map(run.host.resume?.checkpoints)
  }

  async suspend(from: CallPlace, question: unknown, options: SuspendOptions): Promise<unknown> {
    const run = this.#run
    const { host } = run
    const { suspend } = host
    if (suspend === undefined) throw notResumable(host)
    const vertex = this.#vertex(from.vertexId)
    const pass = this.#iterationOf(vertex)
    const mask = run.secrets.maskJson
    const place = { ...from, pass, sessionId: run.sessionId, mask }
    const ask = await makeAsk(question, options, place)
    return this.#resting(vertex, pass, async () => {
      const outcome = await suspend(ask)
      if (outcome.kind === 'suspended') throw new SuspendedError()
      if (outcome.kind === 'expired') {
        const expired = durationText(outcome.afterMs)
        this.#announce(outcome.notice, { expired })
        await this.#show(outcome.notice, { submittedAction: null, superseded: true })
        throw new FlowError('expired', `Nobody answered within ${expired}`)
      }
      const { answer, notice } = outcome
      this.#announce(notice, { decision: run.secrets.maskJson(answer) })
      await this.#show(notice, { submittedAction: submittedAction(answer), superseded: false })
      return transformAnswer(options.schema, answer)
    })
  }

  async sleep(
    from: CallPlace,
    number: number,
    time: number | string | Date,
    signal: AbortSignal,
  ): Promise<void> {
    const run = this.#run
    const { host } = run
    const { runtime } = run
    const until = wakeTime(time, runtime.now())
    const left = until.getTime() - runtime.now().getTime()
    if (host.sleep === undefined) return left <= 0 ? undefined : runtime.sleep(left, signal)
    const { sleep } = host
    const vertex = this.#vertex(from.vertexId)
    const pass = this.#iterationOf(vertex)
    await this.#resting(vertex, pass, async () => {
      const outcome = await sleep({ ...from, pass, number, until: () => until, signal })
      if (outcome === 'suspended') throw new SuspendedError()
    })
  }

  async step<T>(vertexId: string, name: string, work: () => T | Promise<T>): Promise<T> {
    const { checkpoint } = this.#run.host
    if (checkpoint === undefined) return work()
    const key = stepName(vertexId, name, this.#iterationOf(this.#vertex(vertexId)))
    const kept = readStep(this.#steps.get(key))
    if (kept !== undefined) return kept.value as T
    await this.#run.host.settle?.()
    const value = await work()
    const state = encodeJson(() => ({ step: encodeValue(value) }))
    // A non-serialisable value is computed again each time.
    if (state === undefined) return value
    if (await checkpoint(key, state)) this.#steps.set(key, state)
    else if (this.#vertex(vertexId)?.component.idempotent === false) throw notKept()
    return value
  }

  /** Replaces the start mark while the vertex waits, since it is not running then. */
  async #resting<T>(
    vertex: PlanVertex | undefined,
    pass: number | undefined,
    wait: () => Promise<T>,
  ): Promise<T> {
    const { host } = this.#run
    if (vertex?.component.idempotent !== false) return wait()
    await host.checkpoint?.(vertex.id, SUSPENDED_MARK)
    const waited = await wait()
    await host.checkpoint?.(vertex.id, startMark(pass))
    return waited
  }

  #announce(
    notice: QuestionNotice | undefined,
    end: { readonly decision: unknown } | { readonly expired: string },
  ): void {
    const run = this.#run
    const { host } = run
    if (notice === undefined || host.announceAnswers !== true) return
    run.send('answered', () => ({ request_id: notice.event.request_id, ...end }))
  }

  /** Updates the message of a question that was answered or closed, if this run is the first to see it. */
  async #show(notice: QuestionNotice | undefined, state: CardState): Promise<void> {
    if (notice !== undefined) await this.#run.messages.place(questionCard(notice, state), true)
  }

  #vertex(vertexId: string): PlanVertex | undefined {
    const { graph } = this.#run
    return graph.vertices[graph.indexOf.get(vertexId) ?? -1]
  }

  #iterationOf(vertex: PlanVertex | undefined): number | undefined {
    const { graph, builds } = this.#run
    return vertex && iterationOf(vertex, graph, builds)
  }
}

/** The key a step is stored under, among the checkpoints of vertices. */
function stepName(vertexId: string, name: string, pass: number | undefined): string {
  return `!${pass ?? ''}!${JSON.stringify([vertexId, name])}`
}

function readStep(state: string | undefined): { readonly value: unknown } | undefined {
  const stored: unknown = state === undefined ? undefined : JSON.parse(state)
  return isObject(stored) && 'step' in stored ? { value: decodeValue(stored['step']) } : undefined
}

function notResumable({ depth = 0 }: RunHost): FlowError {
  const why =
    depth > 0
      ? 'Human input is not possible in a child run: move it to the outer flow.'
      : 'The run cannot be suspended: it is not a resumable job'
  return new FlowError('not_resumable', why)
}
