import type { Component, ComponentServices, Prices, RunBudget } from '@x/flow-engine'
import { isObject } from '@x/wire'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { closest } from './closest.ts'
import { UsageError, type Call } from './command.ts'
import { loadModule } from './load-module.ts'

/** What `x-flow.config.js` exports by default. */
export interface FlowConfig {
  /** The arguments of commands that are given none. */
  readonly flows?: readonly string[]
  /** Components besides the built-in ones. */
  readonly components?: readonly Component[]
  readonly services?: ComponentServices
  /** Of `run`, `dev` and `record`, unless they are given one. */
  readonly budget?: RunBudget
  readonly prices?: Prices
  readonly record?: { readonly redact?: readonly RegExp[] }
}

const KEYS = ['flows', 'components', 'services', 'prices', 'budget', 'record']
const NAMES = ['x-flow.config.js', 'x-flow.config.mjs', 'x-flow.config.ts']

/** Types the default export of `x-flow.config.ts`. */
export function defineConfig(config: FlowConfig): FlowConfig {
  return config
}

/**
 * Loads the configuration of the nearest folder that has one, up to the root of a repository.
 * @throws UsageError for an unknown key; FoundError if it does not run
 */
export async function loadConfig({ cwd }: Pick<Call, 'cwd'>): Promise<FlowConfig> {
  const path = configPath(cwd)
  return path === undefined ? {} : readConfig(path)
}

/** The file of the nearest configuration, up to the root of a repository; undefined if there is none. */
export function configPath(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = NAMES.map((name) => join(folder, name)).find((name) => existsSync(name))
    if (path !== undefined || existsSync(join(folder, '.git'))) return path
    if (dirname(folder) === folder) return undefined
  }
}

async function readConfig(path: string): Promise<FlowConfig> {
  const name = basename(path)
  const config = await loadModule(path, dirname(path))
  if (!isObject(config)) throw new UsageError(`${name} must export its options by default`)
  const unknown = Object.keys(config).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) {
    const near = closest(unknown, KEYS)
    const hint = near === undefined ? '' : `. Did you mean "${near}"?`
    throw new UsageError(`${name}: unknown option "${unknown}"${hint}`)
  }
  return config
}
