import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { createCodeRunnersOf } from '../src/code-runners.ts'
import type { Settings } from '../src/settings/read-settings.ts'

const surroundings = { folder: tmpdir(), log: () => undefined }
const runnersOf = (settings: Partial<Settings>) =>
  createCodeRunnersOf(settings as Settings, {}, surroundings)

test('PY-2: the Python runner exists only if enabled', async () => {
  expect((await runnersOf({})).runner).toBeUndefined()
  const both = { SERVICE_CODE_RUNNER: true, SERVICE_PYTHON: true }
  const runners = await runnersOf(both)
  expect([...(runners.runner?.languages ?? [])].toSorted()).toEqual(['python', 'typescript'])
  await runners.close()
})

test('PY-2: an out-of-range value stops the start with an error that names the setting', async () => {
  const settings = { SERVICE_PYTHON: true, SERVICE_PYTHON_MEMORY_MB: 5000 }
  await expect(runnersOf(settings)).rejects.toThrow(
    'SERVICE_PYTHON_MEMORY_MB must be an integer from 64 to 4096',
  )
  const wheels = { SERVICE_PYTHON: true, SERVICE_PYTHON_WHEELS: '/nowhere/wheels' }
  await expect(runnersOf(wheels)).rejects.toThrow(
    'The wheels folder /nowhere/wheels cannot be read',
  )
})
