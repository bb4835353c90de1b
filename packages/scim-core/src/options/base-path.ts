import { checkBasePath } from '@x/wire'
import { ScimConfigError } from '../base/errors.ts'

/** @throws ScimConfigError */
export function readBasePath({
  basePath,
  baseUrl,
}: {
  readonly basePath?: string
  readonly baseUrl: string | ((tenant: string) => string)
}): string {
  if (basePath === undefined) {
    if (typeof baseUrl === 'string') return new URL(baseUrl).pathname.replace(/\/$/, '')
    const message = 'createScimHandler: option "basePath" is required when baseUrl is a function'
    throw new ScimConfigError('basePath', message)
  }
  const checked = checkBasePath(basePath)
  if ('path' in checked) return checked.path
  const message = `createScimHandler: option "basePath" ${checked.problem}`
  throw new ScimConfigError('basePath', message)
}
