import type { Redis } from 'ioredis'
import { StoreUnavailableError } from '../store/store-error.ts'
import * as lua from './lua.ts'

type ScriptName = keyof typeof lua

/** Runs the scripts on the records of one queue. */
export interface RedisRecords {
  run(script: ScriptName, ...parameters: readonly (string | number)[]): Promise<unknown>
  /** Alternating names and values of a record; empty if it does not exist. */
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

/** @throws StoreUnavailableError if Redis is unreachable or rejects writes */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isDefect(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailableError({ cause: error, message: `Redis is unavailable (${reason})` })
  }
}

/** Server errors that do not mean the server is unavailable. */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return false
  return !/LOADING|READONLY|OOM |MISCONF|MASTERDOWN|CLUSTERDOWN/.test(error.message)
}

const commandOf = (script: string): string => `xFlow${script}`

/** ioredis defines a method for each script. */
function callScript(
  redis: Redis,
  script: ScriptName,
  parameters: readonly (string | number)[],
): Promise<unknown> {
  const method: unknown = Reflect.get(redis, commandOf(script))
  return (method as (...values: unknown[]) => Promise<unknown>).apply(redis, [...parameters])
}
