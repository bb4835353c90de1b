import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The packages that Next.js must load from `node_modules` instead of bundling. */
const FAMILY = [
  '@x/directory-portal',
  '@x/flow-components',
  '@x/flow-engine',
  '@x/flow-protocols',
  '@x/flow-python',
  '@x/flow-service',
  '@x/flow-tools',
  '@x/http-adapters',
  '@x/scim-core',
  '@x/scim-verify',
  '@x/store-kysely',
  '@x/surface-protocol',
]

/** The used part of a configuration of Next.js 15 or 16. */
export interface NextConfig {
  skipTrailingSlashRedirect?: boolean | undefined
  serverExternalPackages?: string[] | undefined
}
type ConfigFunction<T> = (...parameters: never[]) => T | Promise<T>

/**
 * A configuration of Next.js with which handlers of these packages work in its routes: paths keep their
 * trailing slash, and the packages that are installed stay outside of the bundle. In `next.config.js`:
 * `export default withHandlers({ ... })`. A function stays a function; all other values are kept.
 * @throws TypeError if `skipTrailingSlashRedirect` is false
 */
export function withHandlers<T extends object>(config: ConfigFunction<T>): ConfigFunction<T>
export function withHandlers<T extends object = NextConfig>(config?: T): T & NextConfig
export function withHandlers<T extends object>(
  config: T | ConfigFunction<T> = {} as T,
): T | ConfigFunction<T> {
  return typeof config === 'function'
    ? async (...parameters) => extended(await config(...parameters))
    : extended(config)
}

function extended<T extends object>(config: T & NextConfig): T & NextConfig {
  if (config.skipTrailingSlashRedirect === false)
    throw new TypeError(
      'Invalid option skipTrailingSlashRedirect: false. Some paths of the handlers end with a slash, which Next.js would redirect.',
    )
  const packages = [...(config.serverExternalPackages ?? []), ...installed()]
  return {
    ...config,
    skipTrailingSlashRedirect: true,
    serverExternalPackages: [...new Set(packages)],
  }
}

/** Those that the app, in whose folder Next.js runs, can load. */
function installed(): string[] {
  const { resolve } = createRequire(join(process.cwd(), 'next.config.js'))
  return FAMILY.filter((name) => {
    try {
      return resolve(`${name}/package.json`) !== ''
    } catch {
      return false
    }
  })
}
