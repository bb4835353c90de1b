export { append } from './append.ts'
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './base64.ts'
export { own, ownObject, ownText, textsIn, type PlainObject } from './own-values.ts'
export { copy, copyOrNull, pair, patched, sliceRows, triple } from './memory-rows.ts'
export { orderedId } from './ordered-id.ts'
export { oddText } from './odd-text.ts'
export { constantTimeEqual, parseBearer } from './bearer.ts'
export {
  deferredResponse,
  isFastPathRequest,
  LEAN_REQUEST,
  RESPONSE_PARTS,
  responseParts,
  type ResponseParts,
} from './deferred-response.ts'
export { elapsedMs } from './elapsed-ms.ts'
export { eventLoopTurn } from './event-loop-turn.ts'
export { yieldToEventLoop } from './yield-to-event-loop.ts'
export { eventStream, type EventStreamOptions, type StreamCount } from './event-stream.ts'
export {
  createEvents,
  type AnyEvent,
  type Events,
  type EventOf,
  type EventSource,
} from './events.ts'
export { isObject, isPlainObject } from './is-object.ts'
export { isResponse } from './is-response.ts'
export { json, respond, type JsonInit } from './json.ts'
export { exceedsDepth, jsonExcess, type JsonLimits } from './json-excess.ts'
export type { CollectedMetric, Labels, MetricSpec, Sample } from './metrics/family.ts'
export {
  createMetrics,
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramSpec,
  type Metrics,
} from './metrics/metrics.ts'
export { prometheusHandler } from './metrics/prometheus.ts'
export { requestMetrics } from './metrics/request-metrics.ts'
export { checkBasePath, mountedAt, outsideBasePath, pathBelow } from './base-path.ts'
export { missingLibrary, modulePlace, notBeside } from './module-place.ts'
export { BodyRefusedError, bodyFailure, isBodyRefused } from './body-refused.ts'
export {
  BODY_TOO_LARGE,
  BodyTooLargeError,
  isBodyTooLarge,
  readBody,
  readStream,
  readText,
  type BodyTooLarge,
} from './read-body.ts'
export { readUuid } from './read-uuid.ts'
export {
  joinRequestHooks,
  observeRequest,
  traceHeaders,
  type AroundRequest,
  type ObservedRequest,
  type RequestEnd,
  type RequestHooks,
} from './request-hooks.ts'
export { REQUEST_ID, requestIdOf, withRequestId } from './request-id.ts'
export { formatSseComment, formatSseFrame } from './sse-frame.ts'
export { createSseReader, type SseEvent, type SseReader } from './sse-reader.ts'
export { createRouteTable, type RouteMatch, type RouteTable } from './route.ts'
export { createSystemRuntime, withinTime, type Runtime } from './runtime.ts'
export { isInRange, parseIpAddress, parseIpRange } from './outgoing/address-ranges.ts'
export { createAddressGuard, type AddressGuard, type LookUp } from './outgoing/address-guard.ts'
export { createAddressRules, isAddress } from './outgoing/address-rules.ts'
export { becomesGet, followingRedirects, headersAfter } from './outgoing/follow-redirects.ts'
export { impersonateBuiltin } from './impersonate-builtin.ts'
export { isSchemaError, withoutRepeatedSchemaErrors } from './schema-error.ts'
export { secretBytes, type SecretKeys } from './secret-keys.ts'
export { createTextCipher, type TextCipher } from './text-cipher.ts'
export { textSlices } from './text-slices.ts'
export {
  createTokenBuckets,
  leftIn,
  refillMs,
  waitSeconds,
  type BucketLimit,
  type BucketState,
} from './token-buckets.ts'
export { clientNetworkOf } from './client-network.ts'
export { setOwn } from './set-own.ts'
export { nameProblem } from './visible-name.ts'
export { withHeaders } from './with-headers.ts'
export { createTestRuntime, type TestRuntime } from './test-runtime.ts'
export { BareObject } from './bare-object.ts'
export { compareText, compareValues } from './compare-text.ts'
export { decodeWindows } from './decode-windows.ts'
export { iterateStream } from './iterate-stream.ts'
export { joinBytes } from './join-bytes.ts'
export { jsonProblem } from './json-problem.ts'
export { setLru } from './set-lru.ts'
export { createKeyedQueue } from './keyed-queue.ts'
export { extensionOf, fileNameOf, mimeTypeOf } from './mime-type.ts'
export { openStreams } from './open-streams.ts'
export { orAbort } from './or-abort.ts'
export { parseJson } from './parse-json.ts'
export { pythonClass } from './python-class.ts'
export { sortCooperatively } from './sort-cooperatively.ts'
export {
  createWorkBudget,
  finishCooperatively,
  mapSteps,
  finish,
  type CooperativeWork,
  finishSoon,
} from './steps.ts'
export { trimSlashes } from './trim-slashes.ts'
export { optionCheck, type OptionCheck } from './options/check-options.ts'
export { nearName } from './options/near-name.ts'
export { OptionError } from './options/option-error.ts'
export {
  amount,
  anything,
  callback,
  choice,
  either,
  flag,
  implementing,
  integer,
  list,
  mountPath,
  kindOf,
  options,
  required,
  secret,
  secrets,
  tagged,
  text,
  texts,
  webAddress,
  type OptionKind,
  type KindsOf,
  type OptionKinds,
  type OptionPlace,
} from './options/option-kinds.ts'
