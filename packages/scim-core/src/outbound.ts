export { type DeliveryCounts, type Dispatcher } from './outbound/dispatcher.ts'
export { OUTBOX_EVENTS, type OutboxEventName } from './outbound/event-names.ts'
export { type DeliveryFetch, type DeliveryRequest } from './outbound/guarded-fetch.ts'
export {
  createSecurityEvents,
  type SecurityEvents,
  type SecurityEventsOptions,
} from './outbound/security-events.ts'
export { type SetMode, type SetProfile } from './outbound/set-events.ts'
export {
  type SecurityEventStream,
  type SecurityEventStreams,
  type StreamDelivery,
} from './outbound/streams.ts'
export { createWebhooksHandler, type WebhooksHandlerOptions } from './outbound/webhooks-handler.ts'
export {
  verifyWebhook,
  WebhookSignatureError,
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  type WebhookSignatureErrorCode,
} from './outbound/webhook-signature.ts'
export {
  createWebhooks,
  type WebhookEndpoint,
  type WebhookEndpoints,
  type Webhooks,
  type WebhooksOptions,
} from './outbound/webhooks.ts'
