import type { Settings } from '../settings/read-settings.ts'

const WORKER_PATHS: ReadonlySet<string> = new Set(['/health', '/health/ready', '/metrics'])
const NO_API = 'This process runs jobs and serves no API (SERVICE_ROLE=worker).'

/** The answer of a process that serves no API; undefined if it serves the path. */
export function refusedByRole(
  { SERVICE_ROLE: role }: Pick<Settings, 'SERVICE_ROLE'>,
  path: string,
): Response | undefined {
  if (role !== 'worker' || WORKER_PATHS.has(path)) return undefined
  return Response.json({ detail: NO_API }, { status: 404 })
}
