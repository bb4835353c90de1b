import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig({
  ...packageBuild([
    'src/index.ts',
    'src/memory.ts',
    'src/store.ts',
    'src/mcp.ts',
    'src/openapi.ts',
    'src/node.ts',
    'src/testing.ts',
  ]),
})
