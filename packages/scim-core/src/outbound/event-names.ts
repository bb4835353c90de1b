/** The events that an outbox holds (SH-18). */
export const OUTBOX_EVENTS = [
  'user.created',
  'user.updated',
  'user.activated',
  'user.deactivated',
  'user.deleted',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.members.changed',
  'resource.created',
  'resource.updated',
  'resource.deleted',
] as const

/** The name of an event that can leave the service. */
export type OutboxEventName = (typeof OUTBOX_EVENTS)[number]
