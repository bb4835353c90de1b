import { builtinComponents } from '@x/flow-components'
import {
  compileFlow,
  createRegistry,
  type Component,
  type ComponentServices,
  type RunOptions,
  type RunResult,
} from '@x/flow-engine'
import { startRun } from '@x/flow-engine/internal'
import { createGuardedFetch } from '@x/flow-engine/node'
import { createSystemRuntime } from '@x/wire'
import { secretFields } from '../code/secret-values.ts'
import { createAnswers, recordedAnswers, unanswered, type Question } from './answers.ts'
import { expectedResult } from './expected-result.ts'
import type { RecordedRun, Recording } from './recording.ts'
import { createRedactor, type Secret } from './redact.ts'
import { createTaped } from './taped-services.ts'

export interface RecordOptions {
  readonly flow: unknown
  readonly given: Pick<
    RecordedRun,
    'flow' | 'input' | 'inputs' | 'tweaks' | 'sessionId' | 'answers'
  >
  /** Answers a question that is not answered by `given`. Default: the run cannot go on. */
  readonly ask?: (question: Question) => Promise<unknown>
  /** What the run may use. */
  readonly spending?: Pick<RunOptions, 'budget' | 'prices'>
  /** Values of variables, over those of the environment. */
  readonly variables: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly components?: readonly Component[]
  readonly services?: ComponentServices
  readonly allowPrivate: boolean
  readonly redact: readonly RegExp[]
  readonly signal: AbortSignal
}

export interface RecordedNow extends Recording {
  readonly result: RunResult
  readonly secrets: readonly Secret[]
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASS)$/i

/** Runs a flow for real and keeps what it asked and what came of it, without secrets. */
export async function recordRun(options: RecordOptions): Promise<RecordedNow> {
  const { flow, given, allowPrivate, signal } = options
  const system = createSystemRuntime()
  const startedAt = system.now().toISOString()
  const environment = definedOnly({ ...options.environment, ...options.variables })
  const loaded = new Set<string>()
  const watched = new Proxy(environment, {
    getOwnPropertyDescriptor(target, name) {
      const found = Reflect.getOwnPropertyDescriptor(target, name)
      if (found !== undefined && typeof name === 'string') loaded.add(name)
      return found
    },
  })
  const taped = createTaped({
    runtime: system,
    ...(options.services === undefined ? {} : { services: options.services }),
    variables: {
      get: (name) => Promise.resolve(Object.hasOwn(watched, name) ? (watched[name] ?? null) : null),
    },
    environment: watched,
    fetch: options.services?.fetch ?? (allowPrivate ? fetch : createGuardedFetch()),
  })
  const components = createRegistry([...builtinComponents, ...(options.components ?? [])])
  const plan = compileFlow(flow, { components })
  const { answers: before = [], ...kept } = given
  const { flow: _, ...run } = kept
  const known = recordedAnswers(before)
  const answers = createAnswers(async (question) => {
    const found = known.take(question)
    if (found !== undefined) return found.answer
    if (options.ask === undefined) throw unanswered()
    return await options.ask(question)
  })
  const settings = {
    ...run,
    ...options.spending,
    runtime: system,
    services: taped.services,
    hooks: taped.hooks,
    keep: plan.vertexIds,
    signal,
  }
  const result = await startRun(plan, settings, { suspend: answers.suspend }).result
  if (answers.failure !== undefined) throw answers.failure
  const secrets = secretsOf(flow, environment, loaded)
  const redact = createRedactor(secrets, options.redact)
  return {
    result,
    secrets,
    run: redact({
      version: 1,
      ...kept,
      ...(answers.given.length === 0 ? {} : { answers: answers.given }),
      startedAt,
      variables: [...loaded].toSorted(),
    }) as RecordedRun,
    tape: redact(taped.toJSON()) as Recording['tape'],
    expected: redact(expectedResult(result)) as Recording['expected'],
  }
}

function definedOnly(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function secretsOf(
  flow: unknown,
  environment: Readonly<Record<string, string>>,
  loaded: ReadonlySet<string>,
): Secret[] {
  const named = Object.entries(environment)
    .filter(([name]) => loaded.has(name) || SECRET_NAME.test(name))
    .map(([name, value]) => ({ name, value }))
  const fields = secretFields(flow).filter(({ value }) => !Object.hasOwn(environment, value))
  return [...named, ...fields]
}
