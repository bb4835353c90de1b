import { z } from 'zod'
import { text } from './scalars.ts'

/** Body of `POST /api/a2a/v1/{flow}`. */
export const JsonRpcRequest = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.unknown(),
    method: text(),
    params: z.unknown(),
  })
  .meta({ id: 'JsonRpcRequest' })

/** The answer, or one `data:` line of a stream. */
export const JsonRpcAnswer = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.unknown(),
    result: z.unknown(),
    error: z.looseObject({ code: z.number(), message: text() }).optional(),
  })
  .meta({ id: 'JsonRpcAnswer' })

export const AgentCard = z
  .looseObject({ name: text(), description: text(), version: text() })
  .meta({ id: 'AgentCard' })

/** Public keys (RFC 7517) of signed cards. */
export const AgentKeys = z
  .object({ keys: z.array(z.looseObject({ kty: text(), kid: text(), alg: text() })) })
  .meta({ id: 'AgentKeys' })
