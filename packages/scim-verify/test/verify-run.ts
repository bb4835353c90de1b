import { createScimService, type ScimOptions } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { CYCLES, verifyScim, type CheckResult, type VerifyReport } from '@x/scim-verify'

export const BASE = 'https://host.example/api/v1/scim/v2'
export const TOKEN = 'secret-token'

/** A server in the same process. */
export type Serve = (request: Request) => Promise<Response>

/** Our own server; `fault` stands before it. */
export function serve(options: Partial<ScimOptions> = {}): Serve {
  const { handle } = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    cursor: true,
    etag: true,
    ...options,
  })
  return (request) => handle(request)
}

/** Verifies a server in the same process with some profiles. */
export function verify(server: Serve, profiles: string): Promise<VerifyReport> {
  return verifyScim({
    url: BASE,
    cycles: profiles.split(',').flatMap((name) => CYCLES.get(name) ?? []),
    headers: { authorization: `Bearer ${TOKEN}` },
    fetch: (input, init) => server(new Request(input, init)),
    perSecond: Infinity,
  })
}

/** The checks that did not pass, each with its reason. */
export function faults(
  { checks }: VerifyReport,
  wanted: CheckResult['result'] = 'failed',
): string[] {
  return checks
    .filter(({ result }) => result === wanted)
    .map(({ id, message }) => `${id}: ${message}`)
}
