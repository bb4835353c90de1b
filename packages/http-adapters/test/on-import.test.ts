import { expect, test } from 'vitest'

const GLOBALS = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]|^fetch$/.test(name))
const EVENTS = ['exit', 'warning', 'uncaughtException', 'SIGINT', 'SIGTERM']

test('AD-3 nothing is done on import', async () => {
  const state = (): unknown[] => [
    ...GLOBALS.map((name) => Reflect.get(globalThis, name) as unknown),
    ...EVENTS.map((name) => process.listenerCount(name)),
    ...Object.getOwnPropertyNames(globalThis),
  ]
  const before = state()
  await import('@x/http-adapters')
  await import('@x/http-adapters/node')
  await import('@x/http-adapters/express')
  await import('@x/http-adapters/fastify')
  await import('@x/http-adapters/next')
  await import('@x/http-adapters/hono')
  expect(state().filter((part, at) => !Object.is(part, before[at]))).toEqual([])
})
