import { fileURLToPath } from 'node:url'
import { withHandlers } from '@x/http-adapters/next-config'
import type { NextConfig } from 'next'

// The packages of this repository are two folders up. An app that installs them needs no setting of its own.
const root = fileURLToPath(new URL('../..', import.meta.url))

export default withHandlers({
  turbopack: { root },
  outputFileTracingRoot: root,
} satisfies NextConfig)
