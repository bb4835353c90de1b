import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(
  packageBuild([
    'src/index.ts',
    'src/catalog.ts',
    'src/functions.ts',
    'src/http.ts',
    'src/interop.ts',
    'src/llm.ts',
    'src/elemental.ts',
    'src/html.ts',
    'src/forms.ts',
    'src/v1.ts',
    'src/metrics.ts',
    'src/testing.ts',
  ]),
)
