import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** The agent of the directory that an API key ends with. */
export const agentKeys: Migration = {
  id: '0019-agent-keys',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(dialect, 'alter table flow_api_key add column agent_id TEXT'),
  ],
}
