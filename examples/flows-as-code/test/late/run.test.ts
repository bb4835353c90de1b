import { replayRun } from '@x/flow-tools/testing'
import { test } from 'vitest'

test('late', async () => {
  await replayRun(import.meta.dirname)
})
