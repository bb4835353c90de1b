import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

// The packages of this repository are two folders up. An app that installs them only needs the line
// that keeps them out of the bundle.
const root = fileURLToPath(new URL('../..', import.meta.url))

export default {
  turbopack: { root },
  outputFileTracingRoot: root,
  serverExternalPackages: [
    '@x/flow-components',
    '@x/flow-engine',
    '@x/flow-service',
    '@x/http-adapters',
  ],
} satisfies NextConfig
