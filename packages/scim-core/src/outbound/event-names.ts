/** Events written to the outbox. */
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
  'connection.silent',
  'connection.heard',
  'connection.refused',
  'credential.expiring',
  'credential.expired',
] as const

/** The name of an outbox event. */
export type OutboxEventName = (typeof OUTBOX_EVENTS)[number]
