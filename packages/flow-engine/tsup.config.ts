import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig({
  ...packageBuild([
    'src/index.ts',
    'src/components.ts',
    'src/models.ts',
    'src/client.ts',
    'src/memory.ts',
    'src/store.ts',
    'src/node.ts',
    'src/testing.ts',
    'src/metrics.ts',
    'src/otel.ts',
    'src/bullmq.ts',
    'src/internal.ts',
    'src/internal-node.ts',
    'src/node/guarded-fetch.ts',
    'src/outgoing/guarded-fetch.ts',
  ]),
  external: ['#guarded-fetch'],
})
