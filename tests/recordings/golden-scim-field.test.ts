import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'

const TOKEN = 'a-static-token'
/** Requests as directories send them, with the right answers. */
const runner = fileURLToPath(new URL('../../../shared/golden/scim-field/run.mjs', import.meta.url))

/** Everything a program prints. */
async function printed(parameters: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  return text
}

test.skipIf(!existsSync(runner))(
  'SF-46 the recorded requests of directories',
  { tags: ['long'] },
  async () => {
    const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN }
    await withService(environment, async ({ url }) => {
      const text = await printed([runner, `${url}/api/v1/scim/v2`, '--token', TOKEN])
      expect(text).toBe('scim-field golden: 36 passed, 0 failed\n')
    })
  },
)
