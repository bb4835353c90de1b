import { identified } from './operate/request-log.ts'
import { pathOf } from './path-of.ts'

/** A part of the server besides the flow service, with its access rules. */
export interface Mount {
  /** Paths it is tried for, before the flow service. */
  readonly paths: RegExp
  /** `token`: requires credentials; `public`: open to anyone, and contains no user data. */
  readonly access: 'token' | 'public'
  /** Maximum bytes of a request body; 0 if it reads none. */
  readonly maxBody: number
  /** Representative paths. */
  readonly samples: readonly string[]
}

/** All mounts, in the order they are tried. */
export const mounts = {
  provisioningAdmin: {
    paths: /^\/api\/v1\/scim\/(connections|directory|portal|reconcile|webhooks)(\/|$)/,
    access: 'token',
    maxBody: 64 * 1024 * 1024,
    samples: [
      '/api/v1/scim/connections',
      '/api/v1/scim/directory/users',
      '/api/v1/scim/portal/links',
      '/api/v1/scim/reconcile',
      '/api/v1/scim/webhooks',
    ],
  },
  provisioningOAuth: {
    paths: /^\/(\.well-known\/oauth-authorization-server\/)?api\/v1\/scim\/oauth(\/|$)/,
    access: 'public',
    maxBody: 65_536,
    samples: [
      '/api/v1/scim/oauth/token',
      '/api/v1/scim/oauth/jwks',
      '/api/v1/scim/oauth/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/api/v1/scim/oauth',
    ],
  },
  provisioningSignals: {
    paths: /^\/api\/v1\/scim\/signals$/,
    access: 'public',
    maxBody: 65_536,
    samples: ['/api/v1/scim/signals'],
  },
  provisioning: {
    paths: /^\/api\/v1\/scim(\/|$)/,
    access: 'token',
    maxBody: 1024 * 1024,
    samples: ['/api/v1/scim/v2/Users', '/api/v1/scim/v2/Bulk', '/api/v1/scim/v2/nothing'],
  },
  portal: {
    paths: /^\/directory(\/|$)/,
    access: 'public',
    maxBody: 65_536,
    samples: ['/directory/', '/directory/api/session'],
  },
  surfaces: {
    paths: /^\/surfaces\/demo\/(stream|events)$/,
    access: 'public',
    maxBody: 65_536,
    samples: ['/surfaces/demo/stream', '/surfaces/demo/events'],
  },
  console: {
    paths: /^\/(console|console\.css|console\.js)?$/,
    access: 'public',
    maxBody: 0,
    samples: ['/', '/console.css', '/console.js'],
  },
  apiReference: {
    paths: /^\/docs(\/|$)/,
    access: 'public',
    maxBody: 0,
    samples: ['/docs', '/docs/start.js', '/docs/swagger-ui.css'],
  },
  editor: { paths: /^/, access: 'public', maxBody: 0, samples: ['/', '/assets/a.js'] },
  signOn: {
    paths: /^\/api\/v1\/(oidc\/(login|callback)|logout)$/,
    access: 'public',
    maxBody: 0,
    samples: ['/api/v1/oidc/login', '/api/v1/oidc/callback'],
  },
} as const satisfies Readonly<Record<string, Mount>>

const ENTRIES = (Object.keys(mounts) as (keyof typeof mounts)[]).map((name) => ({
  name,
  paths: mounts[name].paths,
}))

/** Handles the paths of a mount; null: try the next one, finally the flow service. */
export type MountHandler<Context> = (
  request: Request,
  path: string,
  context: Context,
) => Promise<Response | null>

/** The handlers of all mounts, and that of everything else. */
export interface MountHandlers<Context> {
  readonly mounted: Readonly<Record<keyof typeof mounts, MountHandler<Context>>>
  readonly rest: (request: Request, context: Context) => Promise<Response>
}

/** The response of the first mount that has one, else of the rest. */
export async function answerMounted<Context>(
  { mounted, rest }: MountHandlers<Context>,
  request: Request,
  context: Context,
): Promise<Response> {
  const path = pathOf(request.url)
  for (const { name, paths } of ENTRIES) {
    if (!paths.test(path)) continue
    const answer = await mounted[name](request, path, context)
    if (answer !== null) return answer
  }
  return await rest(request, context)
}

/** Adapts a handler that does not add the request id itself. */
export function own<Context extends { readonly requestId: string }>(
  work: MountHandler<Context>,
): MountHandler<Context> {
  return async (request, path, context) => {
    const answer = await work(request, path, context)
    return answer === null ? null : identified(answer, context.requestId)
  }
}
