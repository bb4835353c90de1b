export { constantTimeEqual, parseBearer } from './bearer.ts'
export {
  deferredResponse,
  isLeanRequest,
  LEAN_REQUEST,
  RESPONSE_PARTS,
  responseParts,
  type ResponseParts,
} from './deferred-response.ts'
export { eventLoopTurn } from './event-loop-turn.ts'
export { eventStream, type EventStreamOptions } from './event-stream.ts'
export { createEvents, type EventSource } from './events.ts'
export { json, respond, type JsonInit } from './json.ts'
export {
  BODY_TOO_LARGE,
  BodyTooLargeError,
  isBodyTooLarge,
  readBody,
  readText,
  type BodyTooLarge,
} from './read-body.ts'
export { createRouteTable, type RouteMatch, type RouteTable } from './route.ts'
export { createSystemRuntime, type Runtime } from './runtime.ts'
export { standIn } from './stand-in.ts'
export { isVisibleName } from './visible-name.ts'
export { createTestRuntime, type TestRuntime } from './test-runtime.ts'
