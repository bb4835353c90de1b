import type { IncomingMessage, ServerResponse } from 'node:http'
import { createNodeBridge } from './lib/node/node-bridge.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** The used part of a Koa context. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The target before `koa-mount` removed its prefix. */
  readonly originalUrl: string
  /** The prefix that `koa-mount` removed. */
  readonly mountPath?: unknown
  /** The client's address, protocol and host, behind proxies if the application trusts them. */
  readonly ip: string
  readonly protocol: string
  readonly host: string
  /** Koa's own request, in which body parsers leave what they have read. */
  readonly request: object
  readonly app: { readonly proxy: boolean }
  /** False once a response is written beside Koa. */
  respond?: boolean | undefined
}

/** A middleware that calls `next()` only for requests it does not serve. */
export type KoaMiddleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void>

/**
 * Mounts a handler in Koa, alone or below `koa-mount` and `@koa/router`: `app.use(koaMiddleware(handler))`.
 * The handler sees the full original path; other requests are passed to `next()`. Middleware before it goes
 * on when the response has been sent.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function koaMiddleware<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<KoaContext, C>
): KoaMiddleware {
  const serve = createNodeBridge('koaMiddleware', handler, options)
  return (ctx, next) =>
    new Promise((resolve, reject) => {
      const { req, res, mountPath } = ctx
      const end = (): void => {
        // Koa would answer a client that has left, which would look like a complete response.
        ctx.respond = false
        resolve()
      }
      if (res.closed) return end()
      res.once('close', end)
      serve({
        message: req,
        reply: res,
        host: ctx,
        parsed: ctx.request,
        target: ctx.originalUrl,
        prefix: typeof mountPath === 'string' ? mountPath : undefined,
        trust: () =>
          ctx.app.proxy && { address: ctx.ip, scheme: schemeOf(ctx.protocol), host: ctx.host },
        take: () => {
          ctx.respond = false
        },
        pass: () => {
          res.off('close', end)
          next().then(() => resolve(), reject)
        },
        fail: reject,
      })
    })
}

const schemeOf = (protocol: string): 'http' | 'https' => (protocol === 'https' ? 'https' : 'http')
