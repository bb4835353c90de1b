import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(
  packageBuild([
    'src/index.ts',
    'src/memory.ts',
    'src/oauth.ts',
    'src/connections.ts',
    'src/outbound.ts',
    'src/signals.ts',
    'src/scan.ts',
    'src/metrics.ts',
    'src/testing.ts',
    'src/reconcile.ts',
  ]),
)
