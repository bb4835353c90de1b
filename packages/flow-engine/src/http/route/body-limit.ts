import type { FlowSettings } from '../../settings.ts'
import { FLOW_FILE_BYTES } from '../request/uploaded-flows.ts'
import type { Auth, RouteHead } from './route.ts'

const KB = 1024
const MB = 1024 * KB

/** Bodies of what each request or each list reads again: users, the store's key. */
export const SMALL_BODY = 64 * KB
/** Bodies of lists of ids (25,000 of them) and of API keys, whose names may be long. */
export const MEDIUM_BODY = MB
/** Bodies with such a file, and what a form has around it. */
export const FLOW_FILE_BODY = FLOW_FILE_BYTES + 64 * KB
/** Bodies of sign-in, refresh, sign-out and every other operation that asks for no credentials. */
const WITHOUT_CREDENTIALS = 64 * KB
const OPEN: ReadonlySet<Auth> = new Set<Auth>(['none', 'guest', 'visitor', 'optional'])

/**
 * The most bytes that the body of an operation may have, whatever its content type says (abuse.md
 * AB-51, AB-52). A route gets its limit from what its head says anyway: `maxBody` where it is given,
 * 64 KiB without credentials, `maxPublicBody` for public builds and webhooks, `maxFileSizeUpload` for
 * uploads of known users, `maxJsonBody` for everything else.
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
