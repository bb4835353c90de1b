/** A part of the server besides the flow service, with its protection. */
export interface Mount {
  /** Paths that it is asked for, before the flow service is. */
  readonly paths: RegExp
  /** `token`: nobody is let in without one; `public`: everybody is, and finds nothing of anybody's. */
  readonly access: 'token' | 'public'
  /** Bytes of a body that it reads; 0: it reads none. */
  readonly maxBody: number
  /** Addresses that stand for all of them. */
  readonly samples: readonly string[]
}

/** Every mount, in the order in which they are asked. */
export const mounts = {
  provisioningAdmin: {
    paths: /^\/api\/v1\/scim\/(connections|directory|webhooks)(\/|$)/,
    access: 'token',
    maxBody: 65_536,
    samples: ['/api/v1/scim/connections', '/api/v1/scim/directory/users', '/api/v1/scim/webhooks'],
  },
  provisioning: {
    paths: /^\/api\/v1\/scim(\/|$)/,
    access: 'token',
    maxBody: 1024 * 1024,
    samples: ['/api/v1/scim/v2/Users', '/api/v1/scim/v2/Bulk', '/api/v1/scim/v2/nothing'],
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

const ENTRIES = Object.entries(mounts)

/** Answers for the paths of a mount; null: the next one, or the flow service, is asked. */
export type MountHandler<Context> = (
  request: Request,
  path: string,
  context: Context,
) => Promise<Response | null>

/**
 * The answer of the first mount that has one; null when none has. Each mount of the table has a handler.
 */
export async function answerMounted<Context>(
  handlers: Readonly<Record<keyof typeof mounts, MountHandler<Context>>>,
  request: Request,
  path: string,
  context: Context,
): Promise<Response | null> {
  for (const [name, { paths }] of ENTRIES) {
    if (!paths.test(path)) continue
    const answer = await handlers[name as keyof typeof mounts](request, path, context)
    if (answer !== null) return answer
  }
  return null
}
