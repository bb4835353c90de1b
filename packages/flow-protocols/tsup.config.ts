import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig({
  ...packageBuild([
    'src/index.ts',
    'src/ai-sdk.ts',
    'src/ag-ui.ts',
    'src/a2a.ts',
    'src/internal.ts',
  ]),
})
