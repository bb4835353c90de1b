import type { KeyAgents } from '@x/flow-service'
import { recordData, type ScimDocument, type ScimStore } from '@x/scim-core'

const TENANT = 'default'
const MAX_PARENTS = 100

/** The option of the flow service; none while agents are off. */
export const keyAgents = (
  { enabled, agents }: { readonly enabled: boolean; readonly agents: boolean },
  store: ScimStore,
): { readonly agents?: KeyAgents } => (enabled && agents ? { agents: createKeyAgents(store) } : {})

/** The agents of the directory, for API keys: a key works while its agent and all its parents are active. */
function createKeyAgents(store: ScimStore): KeyAgents {
  const agents = store.resources?.('Agent')
  const read = async (id: string): Promise<ScimDocument | null> => {
    const record = (await agents?.get(TENANT, id)) ?? null
    return record === null ? null : recordData(record)
  }
  return {
    async mayBind({ id, isSuperuser }, agentId) {
      const agent = await read(agentId)
      if (agent === null) return 'unknown'
      if (isSuperuser) return 'yes'
      const owners = (agent['owners'] ?? []) as readonly { readonly value: string }[]
      for (const { value } of owners) {
        if (value === id) return 'yes'
        if ((await store.members.has(TENANT, value, [id])).size > 0) return 'yes'
      }
      return 'no'
    },
    async refusal(agentId) {
      let next: string | undefined = agentId
      for (let steps = 0; next !== undefined && steps <= MAX_PARENTS; steps += 1) {
        const agent = await read(next)
        const who = next === agentId ? 'The agent' : 'A parent of the agent'
        if (agent === null) return `${who} does not exist any more.`
        if (agent['active'] !== true) return `${who} is inactive.`
        next = (agent['parent'] as { readonly value?: string } | undefined)?.value
      }
      return null
    },
  }
}
