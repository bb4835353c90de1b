import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.ts'

export default defineConfig(
  packageBuild([
    'src/index.ts',
    'src/node.ts',
    'src/express.ts',
    'src/fastify.ts',
    'src/next.ts',
    'src/hono.ts',
    'src/koa.ts',
    'src/next-config.ts',
    'src/rate-limit.ts',
  ]),
)
