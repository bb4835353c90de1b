import type { LoadRequest } from '../lib/load.ts'
import type { Service } from './service.ts'

/** One operation of the flow API that is measured. */
export interface Operation {
  readonly name: string
  /** Target factors of CPU below the reference service (OP-22). */
  readonly limit: number
  /** The same in the first 500 operations after the start. */
  readonly coldLimit?: number
  /** CPU milliseconds of the reference service 1.7.1 on another day, on a machine of the same class. */
  readonly reference: number
  readonly request: (service: Service) => LoadRequest
}

const headersOf = ({ token }: Service): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

/** A run of the chat flow by API key. */
export const RUN: Operation = {
  name: 'run',
  limit: 60,
  coldLimit: 30,
  reference: 35,
  request: ({ flowId, key }) => ({
    method: 'POST',
    path: `/api/v1/run/${flowId}`,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"input_value":"hello"}',
  }),
}

export const OPERATIONS: readonly Operation[] = [
  RUN,
  {
    name: 'build',
    limit: 50,
    coldLimit: 25,
    reference: 55,
    request: (service) => ({
      method: 'POST',
      path: `/api/v1/build/${service.flowId}/flow?event_delivery=direct`,
      headers: headersOf(service),
      body: '{"inputs":{"input_value":"hello"}}',
    }),
  },
  {
    name: 'read',
    limit: 40,
    reference: 5.5,
    request: (service) => ({
      path: `/api/v1/flows/${service.flowId}`,
      headers: headersOf(service),
    }),
  },
  {
    name: 'list',
    limit: 30,
    reference: 12,
    request: (service) => ({ path: '/api/v1/flows/', headers: headersOf(service) }),
  },
]
