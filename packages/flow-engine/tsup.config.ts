import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig({
  ...packageBuild([
    'src/index.ts',
    'src/graph.ts',
    'src/components.ts',
    'src/models.ts',
    'src/memory.ts',
    'src/store.ts',
    'src/mcp.ts',
    'src/metrics.ts',
    'src/otel.ts',
    'src/testing.ts',
    'src/openapi.ts',
    'src/node.ts',
    'src/bullmq.ts',
    'src/python.ts',
    'src/node/guarded-fetch.ts',
    'src/outgoing/guarded-fetch.ts',
  ]),
  // Chosen by the platform that loads the package: see `imports` of package.json.
  external: ['#guarded-fetch'],
})
