import { nextHandlers } from '@x/http-adapters/next'
import { engine } from '../../../lib/engine.ts'

/** The flow API: everything below /api/v1. */
export const { GET, POST, PUT, PATCH, DELETE } = nextHandlers(engine.handler)
