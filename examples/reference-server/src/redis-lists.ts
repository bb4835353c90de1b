import type { RedisLists } from '@x/flow-engine'

/**
 * Connections of flows to Redis, to the hosts that the operator allows: `host`, `host:port` or `*`. Needs the
 * package ioredis.
 */
export function createRedisLists(hosts: readonly string[]): RedisLists {
  return {
    async connect({ host, port, database, ...login }, { signal }) {
      const isAllowed = hosts.some((one) => [`${host}:${port}`, host, '*'].includes(one))
      if (!isAllowed)
        throw new Error(
          `Redis host ${host} is not allowed; the operator allows it with SERVICE_REDIS_HOSTS`,
        )
      const { Redis } = await import('ioredis').catch((cause: unknown) => {
        throw new Error('Redis needs the package ioredis on the server', { cause })
      })
      const redis = new Redis({
        host,
        port,
        db: database,
        ...login,
        lazyConnect: true,
        connectTimeout: 10_000,
        commandTimeout: 10_000,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
      })
      let failed: unknown
      redis.on('error', (error) => void (failed = error))
      const stop = (): void => redis.disconnect()
      signal.addEventListener('abort', stop, { once: true })
      const close = async (): Promise<void> => {
        signal.removeEventListener('abort', stop)
        redis.disconnect()
      }
      try {
        await redis.connect()
      } catch (error) {
        await close()
        throw failed ?? error
      }
      return {
        range: (key, count) => redis.lrange(key, 0, count - 1),
        push: async (key, text) => void (await redis.lpush(key, text)),
        close,
      }
    },
  }
}
