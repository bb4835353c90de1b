// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import { faults, serve, verify, type Serve } from './verify-run.ts'

interface Seen {
  readonly request: Request
  readonly url: URL
  /** The JSON of the request. */
  readonly sent: Record<string, unknown>
  readonly forward: Serve
}
type Fault = (seen: Seen) => Promise<Response>
type Body = Record<string, unknown>

/** Our own server, in front of which stands a fault. */
function faulty(fault: Fault): Serve {
  const forward = serve({ deleteUser: 'remove' })
  return async (request) => {
    const text = await request.clone().text()
    let sent: Body = {}
    try {
      sent = JSON.parse(text) as Body
    } catch {
      // Sent on as it is.
    }
    return fault({ request, url: new URL(request.url), sent, forward })
  }
}

const json = (response: Response, change: (body: Body) => Body, status = response.status) =>
  response.status === 204
    ? Promise.resolve(response)
    : response.text().then((text) => {
        const headers = new Headers(response.headers)
        headers.delete('content-length')
        return new Response(JSON.stringify(change(JSON.parse(text) as Body)), { status, headers })
      })
const listOf = (value: unknown): Body[] => (Array.isArray(value) ? (value as Body[]) : [])
const resend = (request: Request, { url, body }: { url?: string; body?: unknown }): Request =>
  new Request(url ?? request.url, {
    method: request.method,
    headers: request.headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const withOperations = ({ request, sent, forward }: Seen, change: (operation: Body) => Body[]) =>
  request.method === 'PATCH' && Array.isArray(sent['Operations'])
    ? forward(
        resend(request, {
          body: { ...sent, Operations: listOf(sent['Operations']).flatMap(change) },
        }),
      )
    : forward(request)
const isEmptyList = (body: Body): boolean => body['totalResults'] === 0

function staysInGroups(): Fault {
  const left = new Map<string, string[]>()
  return async ({ request, url, forward }) => {
    const [, , id = ''] = /\/(Users|Groups)\/([^/]+)$/.exec(url.pathname) ?? []
    if (request.method === 'DELETE' && url.pathname.includes('/Users/')) {
      const shown = await forward(new Request(request.url, { headers: request.headers }))
      const groups = listOf(((await shown.json()) as Body)['groups'])
      for (const { value } of groups)
        left.set(String(value), [...(left.get(String(value)) ?? []), id])
    }
    const answer = await forward(request)
    const more = left.get(id)
    if (request.method !== 'GET' || more === undefined || answer.status !== 200) return answer
    return json(answer, (body) => ({
      ...body,
      members: [...listOf(body['members']), ...more.map((value) => ({ value }))],
    }))
  }
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'the lookup of an unknown name is 404': async ({ request, url, forward }) => {
    const answer = await forward(request)
    const isLookup = request.method === 'GET' && url.searchParams.has('filter')
    if (!isLookup || !isEmptyList((await answer.clone().json()) as Body)) return answer
    return json(answer, (body) => body, 404)
  },
  'the filter of userName is case-sensitive': async ({ request, url, forward }) => {
    const answer = await forward(request)
    const [, wanted] = /^userName eq "([^"]*)"$/i.exec(url.searchParams.get('filter') ?? '') ?? []
    if (wanted === undefined) return answer
    return json(answer, (body) => {
      const Resources = listOf(body['Resources']).filter(({ userName }) => userName === wanted)
      return { ...body, totalResults: Resources.length, Resources }
    })
  },
  'totalResults is that of the page': async ({ request, forward }) =>
    json(await forward(request), (body) =>
      Array.isArray(body['Resources']) && 'totalResults' in body
        ? { ...body, totalResults: body['Resources'].length }
        : body,
    ),
  'startIndex begins at 0': ({ request, url, forward }) => {
    const start = url.searchParams.get('startIndex')
    if (start === null) return forward(request)
    url.searchParams.set('startIndex', String(Number(start) + 1))
    return forward(resend(request, { url: url.href }))
  },
  'removing one member removes all': (seen) =>
    withOperations(seen, (operation) => {
      const isRemoval = /^remove$/i.test(String(operation['op']))
      return isRemoval && String(operation['path']).startsWith('members')
        ? [{ op: 'remove', path: 'members' }]
        : [operation]
    }),
  'renaming a group loses its members': (seen) =>
    withOperations(seen, (operation) =>
      seen.url.pathname.includes('/Groups/') && operation['path'] === 'displayName'
        ? [operation, { op: 'remove', path: 'members' }]
        : [operation],
    ),
  '"False" makes a user active': (seen) =>
    withOperations(seen, (operation) => [
      operation['value'] === 'False' ? { ...operation, value: true } : operation,
    ]),
  'a refused PATCH is half applied': async ({ request, sent, forward }) => {
    const answer = await forward(request.clone())
    if (request.method !== 'PATCH' || answer.status !== 400) return answer
    const [first] = listOf(sent['Operations'])
    await forward(resend(request, { body: { ...sent, Operations: [first] } }))
    return answer
  },
  'PUT changes the id': async ({ request, forward }) => {
    const answer = await forward(request)
    return request.method === 'PUT' && answer.status === 200
      ? json(answer, (body) => ({ ...body, id: crypto.randomUUID() }))
      : answer
  },
  'errors are not in the form of SCIM': async ({ request, forward }) => {
    const answer = await forward(request)
    return answer.status < 400
      ? answer
      : json(answer, ({ scimType }) => ({ error: true, scimType }))
  },
  'the content type is text/html': async ({ request, forward }) => {
    const answer = await forward(request)
    const headers = new Headers(answer.headers)
    headers.set('content-type', 'text/html')
    return new Response(answer.body, { status: answer.status, headers })
  },
  'an unknown member is 500': async ({ request, url, forward }) => {
    const answer = await forward(request)
    const isMembers = request.method === 'PATCH' && url.pathname.includes('/Groups/')
    return isMembers && answer.status === 400 ? json(answer, (body) => body, 500) : answer
  },
  'a deleted user stays in its groups': staysInGroups(),
  'an empty list lacks Resources': async ({ request, forward }) =>
    json(await forward(request), ({ Resources, ...body }) =>
      isEmptyList(body) ? body : { ...body, Resources },
    ),
  'a userName is given twice': async ({ request, sent, url, forward }) => {
    const answer = await forward(request)
    if (answer.status !== 409 || !url.pathname.endsWith('/Users')) return answer
    return json(answer, () => ({ ...sent, id: crypto.randomUUID() }), 201)
  },
}

describe('SF-57 each fault is found, and the report points at it', () => {
  test.each(Object.keys(FAULTS))('%s', async (name) => {
    const fault = FAULTS[name]
    if (fault === undefined) throw new Error(name)
    const report = await verify(faulty(fault), 'rfc,entra,okta')
    expect(faults(report)).not.toEqual([])
    const ofRfc = report.checks.filter(
      ({ id, result }) => id.startsWith('RFC') && result === 'failed',
    )
    expect(ofRfc.length).toBeLessThanOrEqual(5)
    expect(report.left).toEqual([])
  })

  test('the server behind them has none', async () => {
    expect(
      faults(
        await verify(
          faulty(({ request, forward }) => forward(request)),
          'rfc,entra,okta',
        ),
      ),
    ).toEqual([])
  })
})
