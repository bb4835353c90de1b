import { formatSseFrame } from '@x/wire'
import type { z } from 'zod'
import type { BuildService, StartBuild } from '../../services/builds/builds.ts'
import { anything, emptyToNull, IdParams, TextParams } from '../../wire/scalars.ts'
import {
  BuildBody,
  OwnBuildQuery,
  type BuildQuery,
  CancelFlowResponse,
  EventsQuery,
  GraphBody,
  JobStarted,
  SliceQuery,
  VertexBuildBody,
  VerticesOrderResponse,
} from '../../wire/build.ts'
import { noCredentials, readClientId } from '../access/authenticate.ts'
import { answerOnce } from '../request/idempotency-key.ts'
import { answerEvents, streamEvents } from '../response/deliver-events.ts'
import { anonymous } from '../route/anonymous.ts'
import { parseBody } from '../request/parse.ts'
import { route, type Call, type Route } from '../route/route.ts'

/** Builds. */
export const chatRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/build/{flow_id}/vertices',
      summary: 'Retrieve Vertices Order',
      auth: 'user',
      deprecated: true,
      params: IdParams('flow_id'),
      query: SliceQuery,
      body: anything(),
      output: VerticesOrderResponse,
    },
    async ({ services, caller, params, query, body }) => {
      // Ownership is checked before the body is parsed.
      await services.vertices.check(caller, params.flow_id)
      return services.vertices.order(caller, params.flow_id, {
        graph: parseBody(GraphBody, body) ?? null,
        stopComponentId: emptyToNull(query.stop_component_id),
        startComponentId: emptyToNull(query.start_component_id),
      })
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/build/{flow_id}/flow',
      summary: 'Build Flow',
      auth: 'user',
      params: IdParams('flow_id'),
      query: OwnBuildQuery,
      body: BuildBody,
      output: JobStarted,
    },
    (call) => {
      const { services, caller, params, query, body, signal, origin } = call
      const build = { version: emptyToNull(query.version), ...readBuild(query, body) }
      return answerOnce(call, [params.flow_id, build], async (once) => {
        const job = await services.builds.start(caller, params.flow_id, {
          resumable: query.resumable,
          origin,
          ...build,
          ...(once === undefined ? {} : { once }),
        })
        if (query.event_delivery !== 'direct') return { job_id: job.id }
        return deliverDirectly(services.builds, {
          ownerId: caller.id,
          jobId: job.id,
          signal,
          warnings: query.warnings,
          staysOn: once !== undefined,
        })
      })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/build/{job_id}/events',
      summary: 'Get Build Events',
      auth: 'visitor',
      produces: 'application/x-ndjson',
      params: TextParams('job_id'),
      query: EventsQuery,
    },
    async (call) => {
      const { services, params, query, signal } = call
      const owner = await ownerFor(call, params.job_id)
      const { event_delivery: delivery, cursor, warnings } = query
      const numbered = cursor !== undefined
      const after = numbered ? { after: cursor } : {}
      if (delivery === 'polling') {
        const poll = await services.builds.poll(owner, params.job_id, { ...after, signal })
        return answerEvents(poll.events, {
          numbered,
          warnings,
          headers: { 'x-event-cursor': String(poll.cursor) },
        })
      }
      const events = await services.builds.events(owner, params.job_id, { ...after, signal })
      return streamEvents(events, {
        signal,
        numbered,
        warnings,
        headers: { 'x-event-cursor': String(cursor ?? -1) },
      })
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/build/{job_id}/cancel',
      summary: 'Cancel Build',
      auth: 'visitor',
      params: TextParams('job_id'),
      output: CancelFlowResponse,
    },
    async (call) => {
      const { services, params } = call
      const owner = await ownerFor(call, params.job_id)
      const { success } = await services.builds.cancel(owner, params.job_id)
      const message = success ? 'Flow build cancelled successfully' : 'Failed to cancel flow build'
      return { success, message }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/build/{flow_id}/vertices/{vertex_id}',
      summary: 'Build Vertex',
      auth: 'user',
      deprecated: true,
      params: IdParams('flow_id').extend(TextParams('vertex_id').shape),
      body: VertexBuildBody,
    },
    ({ services, caller, params, body, signal, origin }) =>
      services.vertices.build(caller, params, {
        value: body?.inputs?.input_value ?? null,
        session: emptyToNull(body?.inputs?.session),
        files: body?.files ?? [],
        signal,
        origin,
      }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/build/{flow_id}/{vertex_id}/stream',
      summary: 'Build Vertex Stream',
      auth: 'user',
      deprecated: true,
      produces: 'text/event-stream',
      params: IdParams('flow_id').extend(TextParams('vertex_id').shape),
    },
    async ({ services, caller, params }) => {
      const frames = await services.vertices.stream(caller, params)
      const text = frames.map(({ event, data }) =>
        formatSseFrame({ event, data: JSON.stringify(data) }),
      )
      return new Response(text.join(''), {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-cache',
        },
      })
    },
  ),
]

/**
 * The user id under which a job is read: the caller, or the owner of the flow for the visitor who started
 * the build.
 * @throws Refusal 403 for anyone else
 */
async function ownerFor(
  {
    services,
    caller,
    request,
  }: Pick<Call<unknown, unknown, unknown>, 'services' | 'caller' | 'request'>,
  jobId: string,
): Promise<string> {
  const userId = caller === anonymous ? null : caller.id
  const owner = await services.builds.ownerFor({ userId, clientId: readClientId(request) }, jobId)
  if (owner === null) throw noCredentials(false)
  return owner
}

/** Combines the query and the body of a build request. */
export function readBuild(
  query: Omit<z.output<typeof BuildQuery>, 'log_builds'> & {
    log_builds?: boolean | null | undefined
  },
  body: z.output<typeof BuildBody>,
): StartBuild {
  const { inputs, data, files } = body ?? {}
  return {
    inputs: {
      value: inputs?.input_value ?? null,
      session: emptyToNull(inputs?.session),
      clientRequestTime: inputs?.client_request_time ?? null,
    },
    graph: data ?? null,
    files: files ?? [],
    stopComponentId: emptyToNull(query.stop_component_id),
    startComponentId: emptyToNull(query.start_component_id),
    logBuilds: query.log_builds ?? true,
    flowName: query.flow_name,
  }
}

/** The events of a build, which is cancelled if its client disconnects. */
export async function deliverDirectly(
  builds: BuildService,
  {
    ownerId,
    jobId,
    signal,
    warnings = false,
    staysOn = false,
  }: {
    ownerId: string
    jobId: string
    signal: AbortSignal
    warnings?: boolean
    /** Another request may join the build. */
    staysOn?: boolean
  },
): Promise<Response> {
  const events = await builds.events(ownerId, jobId, { signal })
  return streamEvents(events, {
    signal,
    warnings,
    ...(staysOn ? {} : { onLeave: () => void builds.leave(ownerId, jobId).catch(() => undefined) }),
  })
}
