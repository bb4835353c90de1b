import { expect, test } from 'vitest'
import { withService } from './service.ts'

const ON = {
  SCIM_ENABLED: 'true',
  SCIM_TOKEN: 'a-static-token-of-the-agents',
  SCIM_AGENTS: 'true',
}

test('DP-55 DP-56 a key of an agent works while the agent, its parents and its user do', async () => {
  await withService(ON, async (server) => {
    const call: typeof server.call = (...given) => server.call(...given)
    const scim = async (method: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${ON.SCIM_TOKEN}`,
        'content-type': 'application/scim+json',
      }
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const answer = await fetch(`${server.url}/api/v1/scim/v2${path}`, init)
      const text = await answer.text()
      return (text === '' ? {} : JSON.parse(text)) as { id: string }
    }
    const set = (path: string, active: boolean) =>
      scim('PATCH', path, { Operations: [{ op: 'replace', path: 'active', value: active }] })
    const person = async (name: string) => {
      const { id } = await scim('POST', '/Users', {
        userName: `${name}@corp.example`,
        active: true,
      })
      await call('PATCH', `/api/v1/users/${id}`, { body: { password: 'a-password-1' } })
      const body = new URLSearchParams({
        username: `${name}@corp.example`,
        password: 'a-password-1',
      })
      const login = await fetch(`${server.url}/api/v1/login`, { method: 'POST', body })
      const { access_token } = (await login.json()) as { access_token: string }
      return { id, headers: { authorization: `Bearer ${access_token}` } }
    }
    const [ada, bob, eve] = [await person('ada'), await person('bob'), await person('eve')]
    const team = await scim('POST', '/Groups', {
      displayName: 'Team',
      members: [{ value: bob.id }],
    })
    const parent = await scim('POST', '/Agents', { agentUserName: 'fleet' })
    const agent = await scim('POST', '/Agents', {
      agentUserName: 'invoices',
      owners: [{ value: ada.id }, { value: team.id }],
      parent: { value: parent.id },
    })
    const make = (headers: Record<string, string>, agent_id: unknown) =>
      call('POST', '/api/v1/api_key/', { key: null, headers, body: { name: 'bot', agent_id } })
    expect((await make(ada.headers, 'nobody')).status).toBe(404)
    expect((await make(eve.headers, agent.id)).status).toBe(403)
    expect((await make(bob.headers, agent.id)).status).toBe(200)
    const made = (await make(ada.headers, agent.id)).json() as { api_key: string; agent_id: string }
    expect(made.agent_id).toBe(agent.id)
    const listed = (
      await call('GET', '/api/v1/api_key/', { key: null, headers: ada.headers })
    ).json() as { api_keys: { agent_id: string }[] }
    expect(listed.api_keys.map(({ agent_id }) => agent_id)).toEqual([agent.id])
    const used = async () => {
      const { status, text } = await call('GET', '/api/v1/flows/', { key: made.api_key })
      return [status, status === 200 ? '' : (JSON.parse(text) as { detail: string }).detail]
    }
    expect(await used()).toEqual([200, ''])
    await set(`/Agents/${agent.id}`, false)
    expect(await used()).toEqual([403, 'The agent is inactive.'])
    await set(`/Agents/${agent.id}`, true)
    expect(await used()).toEqual([200, ''])
    await set(`/Agents/${parent.id}`, false)
    expect(await used()).toEqual([403, 'A parent of the agent is inactive.'])
    await set(`/Agents/${parent.id}`, true)
    await set(`/Users/${ada.id}`, false)
    expect((await used())[0]).toBe(401)
    await set(`/Users/${ada.id}`, true)
    expect(await used()).toEqual([200, ''])
    await scim('DELETE', `/Agents/${agent.id}`)
    expect(await used()).toEqual([403, 'The agent does not exist any more.'])
    await server.restart({ environment: { ...ON, SCIM_AGENTS: 'false' } })
    expect(await used()).toEqual([403, 'Agents are disabled.'])
    expect((await call('POST', '/api/v1/api_key/', { body: { agent_id: 'any' } })).status).toBe(404)
  })
})
