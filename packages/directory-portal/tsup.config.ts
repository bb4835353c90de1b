import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(packageBuild(['src/index.ts', 'src/memory.ts', 'src/testing.ts']))
