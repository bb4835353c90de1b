import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(
  packageBuild([
    'src/index.ts',
    'src/flow.ts',
    'src/scim.ts',
    'src/sqlite.ts',
    'src/postgres.ts',
    'src/link.ts',
    'src/connections.ts',
    'src/rate-limit.ts',
    'src/storage.ts',
    'src/portal.ts',
  ]),
)
