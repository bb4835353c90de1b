import { isObject } from '@x/wire'
import type { TokenUsage } from '../models/chat-model.ts'
import type { EvaluatedExample } from './evaluated-example.ts'
import { formatJUnit } from './junit.ts'

/** The results of one scorer over all examples. */
export interface ScoreSummary {
  readonly mean: number
  readonly min: number
  /** Number of examples. */
  readonly passed: number
  readonly failed: number
}

/** A score that differs from an earlier evaluation. */
export interface ScoreChange {
  readonly id: string
  readonly scorer: string
  readonly before: number
  readonly after: number
}

/** An evaluation as JSON, for storing and comparing. */
export interface EvaluationJson {
  readonly version: 1
  readonly passed: boolean
  readonly durationMs: number
  readonly usage: TokenUsage
  readonly scores: Readonly<Record<string, ScoreSummary>>
  readonly examples: readonly EvaluatedExample[]
}

/** The results of all examples. */
export interface Evaluation {
  /** True if every example passed. */
  readonly passed: boolean
  /** In the order of the data set. */
  readonly examples: readonly EvaluatedExample[]
  readonly scores: Readonly<Record<string, ScoreSummary>>
  readonly usage: TokenUsage
  readonly durationMs: number
  toJSON(): EvaluationJson
  /** A JUnit report for CI services; `suite` is its name. Default `flow`. */
  toJUnit(suite?: string): string
  /**
   * Changed scores of the same examples, and added or removed examples.
   * @throws TypeError if `baseline`, often read from a file, is not the JSON of an evaluation
   */
  compare(baseline: EvaluationJson): {
    readonly worse: readonly ScoreChange[]
    readonly better: readonly ScoreChange[]
    readonly added: readonly string[]
    readonly removed: readonly string[]
  }
}

export function createEvaluation(
  examples: readonly EvaluatedExample[],
  scorers: readonly string[],
  durationMs: number,
): Evaluation {
  const scores = Object.fromEntries(scorers.map((name) => [name, summary(examples, name)]))
  const usage = { inputTokens: 0, outputTokens: 0 }
  for (const example of examples) {
    usage.inputTokens += example.usage.inputTokens
    usage.outputTokens += example.usage.outputTokens
  }
  const passed = examples.every((example) => example.passed)
  return {
    passed,
    examples,
    scores,
    usage,
    durationMs,
    toJSON: () => ({ version: 1, passed, durationMs, usage, scores, examples }),
    toJUnit: (suite = 'flow') => formatJUnit(suite, examples, durationMs),
    compare: (baseline) => compare(examplesOf(baseline), examples),
  }
}

function summary(examples: readonly EvaluatedExample[], name: string): ScoreSummary {
  const all = examples.flatMap(({ scores }) => scores[name] ?? [])
  const values = all.map(({ score }) => score)
  const passed = all.filter((score) => score.passed).length
  return {
    mean: values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length,
    min: values.length === 0 ? 0 : values.reduce((least, value) => Math.min(least, value), 1),
    passed,
    failed: all.length - passed,
  }
}

/** @throws TypeError */
function examplesOf(baseline: unknown): readonly EvaluatedExample[] {
  const examples: unknown = isObject(baseline) ? baseline['examples'] : undefined
  if (!Array.isArray(examples) || !examples.every(isExample))
    throw new TypeError('The baseline of a comparison must be the JSON of an evaluation')
  return examples
}

function isExample(value: unknown): value is EvaluatedExample {
  return isObject(value) && typeof value['id'] === 'string' && isObject(value['scores'])
}

function compare(
  before: readonly EvaluatedExample[],
  after: readonly EvaluatedExample[],
): ReturnType<Evaluation['compare']> {
  const known = new Map(before.map((example) => [example.id, example]))
  const now = new Set(after.map(({ id }) => id))
  const changes = after.flatMap(({ id, scores }) =>
    Object.entries(scores).flatMap(([scorer, { score }]) => {
      const old = known.get(id)?.scores[scorer]?.score
      return old === undefined ? [] : [{ id, scorer, before: old, after: score }]
    }),
  )
  return {
    worse: changes.filter((change) => change.after < change.before),
    better: changes.filter((change) => change.after > change.before),
    added: after.map(({ id }) => id).filter((id) => !known.has(id)),
    removed: before.map(({ id }) => id).filter((id) => !now.has(id)),
  }
}
