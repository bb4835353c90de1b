import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(
  packageBuild([
    'src/index.ts',
    'src/graph.ts',
    'src/components.ts',
    'src/models.ts',
    'src/memory.ts',
    'src/testing.ts',
    'src/openapi.ts',
    'src/node.ts',
    'src/bullmq.ts',
  ]),
)
