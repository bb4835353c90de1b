import { expect, test } from 'vitest'
import { inFolder, startServer } from '../server/start-server.ts'

test('FL-73 the first signal begins to drain, a later one ends the server without waiting for it', async () => {
  await inFolder(async (folder) => {
    const server = await startServer({ SERVICE_CONFIG_DIR: folder, SERVICE_DRAIN_SECONDS: '3600' })
    const ready = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status
    expect(await ready()).toBe(200)
    let ended: { readonly code: number | null } | undefined
    const end = server.end('SIGTERM').then((how) => (ended = how))
    await expect.poll(ready).toBe(503)
    // One that comes within a quarter of a second of the first is taken for the same.
    await expect
      .poll(() => {
        if (ended === undefined) process.kill(server.pid, 'SIGTERM')
        return ended?.code
      })
      .toBe(0)
    await end
  })
})
