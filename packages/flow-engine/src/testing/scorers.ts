import { FlowError } from '../errors.ts'
import { answerProblems, readAnswerSchema } from '../graph/durable/answer-schema.ts'
import type { JsonSchema, StandardSchema } from '../components/define/suspend-options.ts'
import type { ChatModel } from '../models/chat-model.ts'
import { firstJson } from '../graph/values/first-json.ts'
import type { Score, Scorer } from './evaluate-flow.ts'

/** 1 if the text equals `expected`; other values are compared as JSON. */
export function exactMatch(): Scorer {
  return ({ example, text }) => text === expectedText(example.expected)
}

/** 1 if the text contains `wanted`. Default: `expected`. */
export function contains(wanted?: string): Scorer {
  return ({ example, text = '' }) => text.includes(wanted ?? expectedText(example.expected))
}

/** 1 if the text matches. */
export function matches(pattern: RegExp): Scorer {
  return ({ text = '' }) => new RegExp(pattern, pattern.flags.replaceAll(/[gy]/g, '')).test(text)
}

/** 1 if the first JSON in the text is valid for a schema; the reason names what is not. */
export function jsonMatch(schema: JsonSchema | StandardSchema<unknown>): Scorer {
  const ready = readAnswerSchema(schema)
  ready.catch(() => undefined)
  return async ({ text = '' }) => {
    const found = firstJson(text)
    if (found === undefined) return { score: 0, reason: 'The text has no JSON' }
    const problems = await answerProblems(await ready, found)
    if (problems.length === 0) return 1
    const reasons = problems.map(({ path, message }) => `${path === '' ? 'It' : path} ${message}`)
    return { score: 0, reason: reasons.join('; ') }
  }
}

export interface JudgeOptions {
  /** The question about the text. */
  readonly question: string
  /** The best grade; the score is the grade divided by it. Default 1. */
  readonly scale?: number
}

/** Asks a model, in one request, how well a text meets a criterion. */
export function judge(model: ChatModel, { question, scale = 1 }: JudgeOptions): Scorer {
  return async ({ example, text = '' }): Promise<Score> => {
    const parts = [
      question,
      `Grade from 0 to ${scale}. Answer with JSON alone: {"grade": <number>, "reason": <text>}.`,
      ...(example.expected === undefined ? [] : [`Expected: ${expectedText(example.expected)}`]),
      `Text: ${text}`,
    ]
    let answer = ''
    const messages = [{ role: 'user' as const, content: parts.join('\n\n') }]
    const { signal } = new AbortController()
    for await (const chunk of model.stream({ messages, stream: false, signal }))
      if ('text' in chunk) answer += chunk.text
    const found: unknown = firstJson(answer)
    const { grade, reason } = Object(found) as {
      readonly grade?: unknown
      readonly reason?: unknown
    }
    if (typeof grade !== 'number' || Number.isNaN(grade))
      throw new FlowError(
        'model_failed',
        `The judge model returned no grade: ${answer.slice(0, 200)}`,
      )
    return { score: grade / scale, reason: typeof reason === 'string' ? reason : answer }
  }
}

function expectedText(expected: unknown): string {
  return typeof expected === 'string' ? expected : (JSON.stringify(expected) ?? '')
}
