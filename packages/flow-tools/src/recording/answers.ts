import { FlowError, errorText } from '@x/flow-engine'
import { checkAnswer, type startRun } from '@x/flow-engine/internal'
import { isObject } from '@x/wire'
import { UsageError, type Call } from '../command/command.ts'
import { parseJson } from '../command/flow-files.ts'

/** What a person answered to a question of a run. */
export interface RecordedAnswer {
  readonly vertexId: string
  readonly kind: string
  readonly answer: unknown
}

type Suspend = NonNullable<Parameters<typeof startRun>[2]['suspend']>
/** A question of a component. */
export type Question = Parameters<Suspend>[0]

/** Answers the questions of a run, one after the other. */
export interface Answers {
  readonly suspend: Suspend
  /** The answers that were given. */
  readonly given: readonly RecordedAnswer[]
  /** Why the run cannot go on. */
  readonly failure: Error | undefined
}

/** @param next the answer to a question; throws if there is none */
export function createAnswers(next: (question: Question) => Promise<unknown>): Answers {
  const given: RecordedAnswer[] = []
  let failure: Error | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const answered = async (question: Question) => {
    try {
      const answer = await next(question)
      await checkAnswer(question, answer)
      given.push({ vertexId: question.vertexId, kind: question.kind, answer })
      return { kind: 'answered', answer } as const
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(errorText(error))
      throw error
    }
  }
  return {
    suspend: (question) => {
      const result = turn.then(() => answered(question))
      turn = result.catch(() => undefined)
      return result
    },
    given,
    get failure() {
      return failure
    },
  }
}

/** The answers of a recording, each to its question; what is left was not asked. */
export function recordedAnswers(answers: readonly RecordedAnswer[]) {
  const left = [...answers]
  return {
    left: left as readonly RecordedAnswer[],
    take({ vertexId, kind }: Question): RecordedAnswer | undefined {
      const at = left.findIndex((one) => one.vertexId === vertexId && one.kind === kind)
      return at === -1 ? undefined : left.splice(at, 1)[0]
    },
  }
}

/** `--answer JSON` in order, then those of a person at the terminal. */
export function answersOf(
  call: Call,
  nameOf: (vertexId: string) => string,
): (question: Question) => Promise<unknown> {
  const queue = call.texts('answer').map((text) => parseJson('option "--answer"', text))
  const lines = call.isTerminal === true ? call.lines?.() : undefined
  return async (question) => {
    if (queue.length > 0) return queue.shift()
    const asks = `${promptOf(question)} (${nameOf(question.vertexId)})`
    if (lines === undefined)
      throw new UsageError(`The flow asks: ${asks}. Give --answer '${exampleOf(question)}'`)
    const choices = question.options.map(({ actionId, label }) => `${actionId}: ${label}`)
    call.note([`The flow asks: ${asks}`, ...choices.map((choice) => `  ${choice}`)].join('\n'))
    const { done, value } = await lines.next()
    if (done === true) throw new UsageError(`The flow asks: ${asks}. Nobody answers`)
    return readLine(value, question)
  }
}

/** The id of a choice, JSON, or a text. */
function readLine(line: string, { allowedDecisions }: Question): unknown {
  const text = line.trim()
  const chosen = allowedDecisions.find((id) => id.toLowerCase() === text.toLowerCase())
  if (chosen !== undefined) return { action_id: chosen }
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** What a question asks, on one line. */
export function promptOf({ prompt, question, kind }: Question): string {
  const text = prompt ?? (typeof question === 'string' ? question : JSON.stringify(question))
  const shown = text === 'null' ? kind : text.replaceAll(/\s+/g, ' ').trim()
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown
}

function exampleOf({ allowedDecisions: [first], schema }: Question): string {
  return JSON.stringify(first === undefined ? (schema === null ? 'yes' : {}) : { action_id: first })
}

/** The question of a replay has no recorded answer. */
export function unanswered(): FlowError {
  return new FlowError('cassette_miss', 'The question is not recorded')
}

export function isRecordedAnswer(value: unknown): value is RecordedAnswer {
  return (
    isObject(value) && typeof value['vertexId'] === 'string' && typeof value['kind'] === 'string'
  )
}
