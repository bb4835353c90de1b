import type { FlowSettings } from '../../settings.ts'
import { FLOW_FILE_BYTES } from '../request/uploaded-flows.ts'
import type { Auth, RouteHead } from './route.ts'

const KB = 1024
const MB = 1024 * KB

/** For data that every request or list reads again: users, variables, the store key. */
export const SMALL_BODY = 64 * KB
/** For lists of ids (25,000) and API keys, whose names may be long. */
export const MEDIUM_BODY = MB
/** For a flow file and the form around it. */
export const FLOW_FILE_BODY = FLOW_FILE_BYTES + 64 * KB
/** For sign-in, refresh, sign-out and all other operations without credentials. */
const WITHOUT_CREDENTIALS = 64 * KB
const OPEN: ReadonlySet<Auth> = new Set<Auth>(['none', 'guest', 'visitor', 'optional'])

/**
 * Maximum bytes of an operation's body, whatever its content type. Derived from the
 * route's head: `maxBody` if given, 64 KiB without credentials, `maxPublicBody` for public builds and
 * webhooks, `maxFileSizeUpload` for uploads of authenticated users, else `maxJsonBody`.
 */
export function bodyLimitOf(
  { auth, consumes, maxBody }: Pick<RouteHead, 'auth' | 'consumes' | 'maxBody'>,
  { maxFileSizeUpload, maxJsonBody, maxPublicBody }: BodySettings,
): number {
  const upload = maxFileSizeUpload * MB
  if (maxBody !== undefined) return Math.min(maxBody, upload)
  if (auth === 'webhook' || auth === 'public') return maxPublicBody * KB
  if (OPEN.has(auth)) return WITHOUT_CREDENTIALS
  if (consumes === 'multipart' || maxJsonBody === 0) return upload
  return Math.min(maxJsonBody * MB, upload)
}

type BodySettings = Pick<FlowSettings, 'maxFileSizeUpload' | 'maxJsonBody' | 'maxPublicBody'>
