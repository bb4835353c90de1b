import { refuse } from '../../refusal.ts'
import { BuildBody, JobStarted, PublicBuildQuery } from '../../wire/build.ts'
import { IdParams } from '../../wire/scalars.ts'
import { readClientId } from '../access/authenticate.ts'
import { route, type Route } from '../route/route.ts'
import { deliverDirectly, readBuild } from './chat.ts'

/** Builds of public flows by anonymous clients. */
export const publicBuildRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/build_public_tmp/{flow_id}/flow',
      summary: 'Build Public Tmp',
      auth: 'public',
      params: IdParams('flow_id'),
      query: PublicBuildQuery,
      body: BuildBody,
      output: JobStarted,
    },
    async ({ services, params, query, body, request, context, signal, origin }) => {
      const clientId = readClientId(request)
      if (clientId === null) throw refuse(400, 'No client_id cookie found')
      const start = { ...readBuild(query, body), graph: null, origin }
      const job = await services.builds.startPublic(
        params.flow_id,
        { clientId, address: context.clientAddress },
        start,
      )
      if (query.event_delivery !== 'direct') return { job_id: job.id }
      const ownerId = job.userId ?? ''
      return deliverDirectly(services.builds, { ownerId, jobId: job.id, signal })
    },
  ),
]
