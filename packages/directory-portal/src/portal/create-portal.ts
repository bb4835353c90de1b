import { isScimError } from '@x/scim-core'
import { createSystemRuntime, isResponse, pathBelow } from '@x/wire'
import { createAttempts } from '../access/attempts.ts'
import { createLinks, type PortalLinks } from '../access/links.ts'
import { createSessions } from '../access/sessions.ts'
import type { ApiAnswer, ApiCall, PortalParts } from '../api/call.ts'
import { apiRoutes } from '../api/routes.ts'
import { openSession } from '../api/session.ts'
import { createAnswers, type Answers } from '../http/answers.ts'
import { assertOwnPage } from '../http/own-page.ts'
import { missingPage, PortalError } from '../http/portal-error.ts'
import { readBody } from '../http/read-body.ts'
import { pageFile, pageHtml } from '../page/page-files.ts'
import { WORDS } from '../words/words.ts'
import { readPortalOptions, type DirectoryPortalOptions } from './options.ts'
import { presentUser } from './present-user.ts'

/** A portal in which the administrator of a customer connects the directory. */
export interface DirectoryPortal {
  /** Handles everything below the base path. Never rejects. */
  handle(request: Request, context?: { readonly clientAddress?: string }): Promise<Response>
  readonly links: PortalLinks
  readonly sessions: {
    /** Ends all sessions that links of a tenant opened. */
    endAll(tenant: string): Promise<void>
  }
  /** Removes what is older than its time; call it once an hour, from any number of processes. */
  maintain(options?: { readonly signal?: AbortSignal }): Promise<void>
}

const DAY_MS = 86_400_000
const KEPT = { entries: 5_000, logDays: 30, receivedDays: 7, activityDays: 400, endedDays: 30 }

/**
 * Creates a portal.
 * @throws OptionError naming the invalid option
 */
export function createDirectoryPortal(options: DirectoryPortalOptions): DirectoryPortal {
  const given = readPortalOptions(options)
  const { store, baseUrl, basePath = '/directory', onError = () => undefined } = given
  const runtime = given.runtime ?? createSystemRuntime()
  const publicUrl = (given.publicUrl ?? new URL(baseUrl).origin).replace(/\/$/, '')
  const { origin } = new URL(publicUrl)
  const pageUrl = `${publicUrl}${basePath}/`
  const links = createLinks({
    store,
    runtime,
    pageUrl,
    linkSeconds: given.linkSeconds ?? 300,
    returnOrigins: new Set([origin, ...(given.returnUrls ?? [])]),
  })
  const parts: PortalParts = {
    connections: given.connections,
    service: given.service,
    store,
    log: given.log,
    runtime,
    domains: given.domains,
    roles: given.roles,
    baseUrl: baseUrl.replace(/\/$/, ''),
    appName: given.app.name,
    languages: [...WORDS.keys()],
    present: given.present ?? presentUser,
    attempts: createAttempts(runtime),
    waiting: new Map(),
    sessions: createSessions({
      store,
      runtime,
      pageUrl,
      session: given.session,
      sessionIdleSeconds: given.sessionIdleSeconds ?? 1_800,
      sessionSeconds: given.sessionSeconds ?? 28_800,
    }),
  }
  const answers = createAnswers(given.frameAncestors ?? [])

  return {
    async handle(request, { clientAddress } = {}) {
      try {
        const url = new URL(request.url)
        const below = pathBelow(url.pathname, basePath)
        if (below === undefined) throw missingPage()
        if (below !== '/api' && !below.startsWith('/api/'))
          return await page(answers, request, { below, basePath })
        assertOwnPage(request, origin)
        const address = clientAddress ?? given.resolveClient?.(request) ?? ''
        const path = below.slice('/api'.length)
        if (path === '/session' && request.method === 'POST')
          return send(answers, await openSession(parts, await readBody(request), address))
        const found = await serve(parts, request, { path, url })
        return isResponse(found) ? found : send(answers, found)
      } catch (error) {
        return answers.error(refusalOf(error, onError))
      }
    },
    links,
    sessions: { endAll: async (tenant) => store.sessions.endAll(tenant) },
    async maintain({ signal } = {}) {
      signal?.throwIfAborted()
      const before = (days: number): Date => new Date(runtime.now().getTime() - days * DAY_MS)
      await store.trim({
        ended: before(KEPT.endedDays),
        log: before(KEPT.logDays),
        entries: KEPT.entries,
        received: before(KEPT.receivedDays),
        activity: before(KEPT.activityDays),
      })
      await given.domains?.recheck(signal)
      await given.roles?.apply(signal)
    },
  }
}

async function page(
  answers: Answers,
  request: Request,
  { below, basePath }: { readonly below: string; readonly basePath: string },
): Promise<Response> {
  const isPage = below === '' || below === '/'
  const file = isPage ? null : pageFile(below.slice(1))
  if (!isPage && file === null) throw missingPage()
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notOffered(['GET', 'HEAD'])
  // Without its slash the page lies beside the folder of its files.
  const folder = below === '' ? `${basePath.slice(basePath.lastIndexOf('/') + 1)}/` : ''
  const answer = file === null ? answers.page(pageHtml(folder)) : answers.file(file.body, file)
  return request.method === 'HEAD' ? new Response(null, answer) : answer
}

async function serve(
  parts: PortalParts,
  request: Request,
  { path, url }: { readonly path: string; readonly url: URL },
): Promise<ApiAnswer | Response> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const found = apiRoutes.match(method, path)
  if (found.kind === 'none') throw missingPage()
  if (found.kind === 'method')
    throw notOffered(path === '/session' ? [...found.allow, 'POST'] : found.allow)
  const caller = await parts.sessions.find(request)
  if (isResponse(caller)) return caller
  const { route, params } = found
  if (caller.permission === 'view' && (route.needsManage ?? route.method !== 'GET'))
    throw new PortalError(403, 'forbidden', 'You may look at this, but not change it.')
  const call: ApiCall = {
    parts,
    caller,
    params,
    query: url.searchParams,
    signal: request.signal,
    body: () => readBody(request),
    act: async (action, target) => {
      const { tenant, actor } = caller
      await parts.store.activity.append({ tenant, actor, action, target, at: parts.runtime.now() })
    },
  }
  return route.serve(call)
}

function send(answers: Answers, [status, body, headers]: ApiAnswer): Response {
  return body === null ? answers.empty(status, headers) : answers.json(status, body, headers)
}

function refusalOf(error: unknown, onError: (error: unknown) => void): PortalError {
  if (error instanceof PortalError) return error
  if (isScimError(error)) {
    if (error.status === 404) return new PortalError(404, 'not_found', error.detail)
    if (error.status === 409) return new PortalError(409, 'conflict', error.detail)
  }
  onError(error)
  return new PortalError(500, 'internal', 'Internal error')
}

const notOffered = (allow: readonly string[]): PortalError =>
  new PortalError(405, 'method_not_allowed', 'The method is not offered.', {
    allow: allow.join(', '),
  })
