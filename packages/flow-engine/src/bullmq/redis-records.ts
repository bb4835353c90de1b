import type { Redis } from 'ioredis'
import { StoreUnavailableError } from '../store/store-error.ts'
import * as lua from './lua.ts'

type ScriptName = keyof typeof lua

/** Runs the scripts over the records of one queue. */
export interface RedisRecords {
  run(script: ScriptName, ...parameters: readonly (string | number)[]): Promise<unknown>
  /** Names and values of a record in turn; empty if there is no record. */
  read(jobId: string): Promise<readonly unknown[]>
  anyQueued(): Promise<boolean>
}

export function createRedisRecords(redis: Redis, prefix: string): RedisRecords {
  for (const [name, script] of Object.entries(lua)) {
    redis.defineCommand(commandOf(name), { numberOfKeys: 1, lua: script })
  }
  return {
    run: (script, ...parameters) =>
      reaching(() => callScript(redis, script, [`${prefix}queued`, prefix, ...parameters])),
    read: (jobId) =>
      reaching(async () =>
        Object.entries(await redis.hgetall(`${prefix}job:${jobId}`)).flatMap((field) => field),
      ),
    anyQueued: () => reaching(async () => (await redis.zcard(`${prefix}queued`)) > 0),
  }
}

/** @throws StoreUnavailableError where Redis cannot be reached, or takes no writes */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isDefect(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailableError({ cause: error, message: `Redis is unavailable (${reason})` })
  }
}

/** Errors of the server that say nothing about the state it is in. */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return false
  return !/LOADING|READONLY|OOM |MISCONF|MASTERDOWN|CLUSTERDOWN/.test(error.message)
}

const commandOf = (script: string): string => `xFlow${script}`

/** ioredis adds a method for each script. */
function callScript(
  redis: Redis,
  script: ScriptName,
  parameters: readonly (string | number)[],
): Promise<unknown> {
  const method: unknown = Reflect.get(redis, commandOf(script))
  return (method as (...values: unknown[]) => Promise<unknown>).apply(redis, [...parameters])
}
