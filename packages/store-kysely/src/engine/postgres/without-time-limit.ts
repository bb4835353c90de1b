/**
 * Lifts the time limits of the rest of a transaction, for migrations: those of the server, and, because the
 * connection knows these statements, the wait for an answer.
 */
export const WITHOUT_TIME_LIMIT = [
  'set local statement_timeout = 0',
  'set local lock_timeout = 0',
] as const
