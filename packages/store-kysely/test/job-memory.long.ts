// Runs each night (.ci/night).
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fileDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'

test('OP-23: a finished job of ten nodes leaves a few kilobytes in memory, and none of its events', async () => {
  const database = await fileDatabase()
  const program = await joinedProgram('job-memory-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    program,
    database.address,
  ])
  const { events, bytesPerJob } = JSON.parse(stdout) as { events: number; bytesPerJob: number }
  // The messages of a job are some ten times 6,000 characters.
  expect(events).toBeGreaterThanOrEqual(400 * 12)
  // Twice what it may, as a heap is not measured exactly; its events alone are 60,000.
  expect(bytesPerJob).toBeLessThan(5_000)
  await database.close()
})
