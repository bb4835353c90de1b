import { IdParams } from '../../wire/scalars.ts'
import {
  TraceList,
  TraceListQuery,
  traceQueryFromWire,
  TraceRead,
  tracesToWire,
  traceToWire,
} from '../../wire/trace.ts'
import { route, type Route } from '../route/route.ts'

/** The caller's runs that have job records. */
export const traceRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/traces',
      summary: 'Get Traces',
      auth: 'user',
      query: TraceListQuery,
      output: TraceList,
    },
    async ({ services, caller, query }) =>
      tracesToWire(await services.traces.list(caller, traceQueryFromWire(query)), query.size),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/traces/{trace_id}',
      summary: 'Get Trace',
      auth: 'user',
      params: IdParams('trace_id'),
      output: TraceRead,
    },
    async ({ services, caller, params, signal }) =>
      traceToWire(await services.traces.get(caller, params.trace_id, signal)),
  ),
]
