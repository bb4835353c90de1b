import type { RunBudget } from '@x/flow-engine'
import { isObject } from '@x/wire'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError, type Call, type OptionSpec } from '../command/command.ts'
import { parseJson } from '../command/flow-files.ts'
import { loadConfig } from '../command/load-config.ts'
import type { StartOptions } from '../recording/start-flow.ts'

/** Of commands that run a flow. */
export const WHAT_RUNS = {
  inputs: { name: 'inputs', value: 'JSON', text: 'values of fields by node; @file reads a file' },
  tweaks: { name: 'tweaks', value: 'JSON', text: 'tweaks by node; @file reads a file' },
  session: { name: 'session', value: 'ID', text: 'the session', fallback: 'the flow' },
  variables: {
    name: 'var',
    value: 'NAME=VALUE',
    text: 'a variable; repeatable',
    fallback: 'the environment',
  },
  answers: {
    name: 'answer',
    value: 'JSON',
    text: 'the answer to a question of the flow; repeatable',
    fallback: 'asks on a terminal',
  },
  budget: { name: 'budget', value: 'LIST', text: 'tokens=..,money=..,seconds=..,calls=..' },
  timeout: { name: 'timeout', value: 'SECONDS', text: 'the longest time of a run' },
  allowPrivate: {
    name: 'allow-private',
    text: 'reach models on private addresses',
    fallback: 'off',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>

/** What each run of `run` and `dev` is given, by their options and the configuration. */
export async function startOptions(call: Call): Promise<Omit<StartOptions, 'tape'>> {
  const [budget, timeoutMs, variables] = [budgetOf(call), timeoutOf(call), variablesOf(call)]
  const config = await loadConfig(call)
  return {
    sessionId: call.text('session'),
    budget: budget ?? config.budget,
    prices: config.prices,
    components: config.components ?? [],
    services: config.services,
    variables,
    environment: call.env,
    allowPrivate: call.isOn('allow-private'),
    timeoutMs,
  }
}

/** A JSON object, or the file that `@` names. */
export async function jsonOption(call: Call, name: string): Promise<object | undefined> {
  const given = call.text(name)
  if (given === undefined) return undefined
  const isFile = given.startsWith('@')
  const path = resolve(call.cwd, given.slice(1))
  const text = isFile ? await readFile(path, 'utf8').catch(() => undefined) : given
  if (text === undefined) throw new UsageError(`${given.slice(1)} does not exist`)
  const json = parseJson(`option "--${name}"`, text)
  if (!isObject(json)) throw new UsageError(`option "--${name}" must be an object by node`)
  return json
}

/** `--var NAME=VALUE`, repeated. */
export function variablesOf(call: Call): Record<string, string> {
  return Object.fromEntries(
    call.texts('var').map((given) => {
      const at = given.indexOf('=')
      if (at < 1) throw new UsageError(`option "--var" must be NAME=VALUE`)
      return [given.slice(0, at), given.slice(at + 1)]
    }),
  )
}

const UNITS: Readonly<Record<string, keyof RunBudget>> = {
  tokens: 'tokens',
  money: 'money',
  seconds: 'seconds',
  calls: 'modelCalls',
}

/** `--budget tokens=1000,seconds=30`. */
export function budgetOf(call: Call): RunBudget | undefined {
  const given = call.text('budget')
  if (given === undefined) return undefined
  const parts = given.split(',').map((part) => {
    const [, name = '', value = ''] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(part.trim()) ?? []
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined
    const isWhole = name === 'money' || name === 'seconds' || /^\d+$/.test(value)
    if (unit === undefined || !isWhole || !(Number(value) > 0))
      throw new UsageError(
        `option "--budget" must be a list such as tokens=1000,seconds=30, got "${given}"`,
      )
    return [unit, Number(value)] as const
  })
  return Object.fromEntries(parts)
}

/** `--timeout SECONDS`. */
function timeoutOf(call: Call): number | undefined {
  const given = call.text('timeout')
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (!(seconds > 0) || !Number.isFinite(seconds))
    throw new UsageError(`option "--timeout" must be a number of seconds, got "${given}"`)
  return seconds * 1000
}

/** `--port N`. */
export function portOf(call: Call): number | undefined {
  const given = call.text('port')
  if (given === undefined) return undefined
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535)
    throw new UsageError(`option "--port" must be a port, got "${given}"`)
  return Number(given)
}
