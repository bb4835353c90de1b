import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig({
  ...packageBuild(['src/code.ts', 'src/testing.ts', 'src/main.ts']),
})
