import { z } from 'zod'
import { Refusal, refuse } from '../../refusal.ts'
import { CustomComponent, CustomComponentUpdate, templateFromWire } from '../../wire/component.ts'
import { gzip, acceptsGzip } from '../response/gzip.ts'
import { route, type Route } from '../route/route.ts'

const Node = z.looseObject({})

/** The compressed catalogue, by its text: computed once for each version. */
const compressed = new Map<string, Promise<Uint8Array>>()

export const customComponentRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/all',
      summary: 'Get All',
      auth: 'user',
      output: z.record(z.string(), z.record(z.string(), Node)),
    },
    async ({ services, request }) => {
      const { text, etag } = services.catalogue.catalogue()
      const headers = { etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' }
      if (request.headers.get('if-none-match') === etag) {
        return new Response(null, { status: 304, headers })
      }
      const typed = { ...headers, 'content-type': 'application/json' }
      if (!acceptsGzip(request)) return new Response(text, { headers: typed })
      const bytes = compressed.get(text) ?? gzip(text)
      compressed.clear()
      compressed.set(text, bytes)
      const encoded = { ...typed, 'content-encoding': 'gzip' }
      return new Response(await bytes, { headers: encoded })
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/custom_component',
      summary: 'Custom Component',
      auth: 'user',
      body: CustomComponent,
      output: z.object({ data: Node, type: z.string() }),
    },
    async ({ services, caller, body, signal }) => {
      try {
        const { code, frontend_node: given } = body
        const { node, type } = await services.catalogue.nodeFromCode(caller, code, given, signal)
        return { data: node, type }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 429) throw error
        // The editor shows both fields; a server stack trace must not be included.
        const shown = { error: error.detail, traceback: '' }
        throw refuse(400, error.detail, { body: shown, cause: error })
      }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/custom_component/update',
      summary: 'Custom Component Update',
      auth: 'user',
      body: CustomComponentUpdate,
      output: Node,
    },
    ({ services, caller, body, signal }) =>
      services.catalogue.refresh(
        caller,
        {
          code: body.code,
          template: templateFromWire(body.template),
          field: body.field,
          value: body.field_value ?? null,
          toolMode: body.tool_mode,
        },
        signal,
      ),
  ),
]
