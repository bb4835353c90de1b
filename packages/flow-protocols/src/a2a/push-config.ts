import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { createAddressRules, isAddress } from '@x/wire'
import { invalid } from '../http/door-error.ts'

/** Addresses that a task notifies. */
export const MAX_PUSH_CONFIGS = 10
const MAX_TEXT = 4096

/** Where and how a task notifies. */
export interface PushConfig {
  readonly id: string
  readonly url: string
  readonly token: string
  readonly scheme: string
  readonly credentials: string
}

/**
 * Checks what a client sets.
 * @param allow hosts and ranges that may be private, and may be reached without TLS
 * @throws DoorError `invalid_request` naming the member
 */
export function readPushConfig(
  { id, url, token, authentication }: TaskPushNotificationConfig,
  { allow, newId }: { readonly allow: readonly string[]; readonly newId: () => string },
): PushConfig {
  const { scheme = '', credentials = '' } = authentication ?? {}
  for (const [name, text] of Object.entries({ id, url, token, scheme, credentials }))
    if (text.length > MAX_TEXT || /\p{Cc}/u.test(text))
      throw invalid(`${name} must have at most ${MAX_TEXT} characters, without control characters`)
  checkAddress(url, allow)
  return { id: id === '' ? newId() : id, url, token, scheme, credentials }
}

/** The setting as it is shown: never with its secrets. */
export function toPushConfig({ id, url, scheme }: PushConfig, taskId: string) {
  const authentication = scheme === '' ? undefined : { scheme, credentials: '' }
  return { tenant: '', id, taskId, url, token: '', authentication }
}

/** Names that never belong to a public host. */
const PRIVATE_NAME = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$/i

function checkAddress(given: string, allow: readonly string[]): void {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const rules = createAddressRules(allow)
  const host = url?.hostname ?? ''
  const isNamed =
    rules.allowsHost(host) ||
    (allow.length > 0 &&
      isAddress(host) &&
      rules.allowsAddress(host) &&
      !createAddressRules().allowsAddress(host))
  if (url === undefined || url.username !== '' || url.password !== '')
    throw invalid('url must be an https address without a user')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isNamed))
    throw invalid('url must be an https address')
  if (isNamed) return
  const isPublic = isAddress(host)
    ? rules.allowsAddress(host)
    : !PRIVATE_NAME.test(host) && host.includes('.')
  if (!isPublic) throw invalid('url must be the address of a public host')
}
