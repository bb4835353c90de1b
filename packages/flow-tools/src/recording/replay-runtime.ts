import { createSystemRuntime, createTestRuntime, type Runtime } from '@x/wire'

const system = createSystemRuntime()

/** The clock, ids and random numbers of a replay: the same in each. Waits pass in a hundredth of their time. */
export function createReplayRuntime(startedAt: string): Runtime {
  const start = new Date(startedAt)
  const fixed = createTestRuntime({ start })
  let waited = 0
  return {
    now: () => new Date(start.getTime() + waited),
    uuid: () => fixed.uuid(),
    randomBytes: (size) => fixed.randomBytes(size),
    async sleep(ms, signal, options) {
      await system.sleep(Math.min(ms, 50 + ms / 100), signal, options)
      waited += ms
    },
  }
}
