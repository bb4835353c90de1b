import type { Migration } from '../../migrate.ts'

/** The jobs of a user, and the turns of one chat. */
export const jobChats: Migration = {
  id: '0017-job-chats',
  isExpansion: true,
  statements: () => [`create index flow_job_chat on flow_job (user_id, session_id, created_at)`],
}
