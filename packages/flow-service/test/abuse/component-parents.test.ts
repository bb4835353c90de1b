import { expect, test } from 'vitest'
import { createTestEngine } from '@x/test-kit'
import { serve } from '@x/test-kit'

const UNKNOWN = '2f3a9c1e-0000-4000-8000-00000000abcd'

test('AB-93 a shared component has no parent that its owner cannot see', async () => {
  const engine = await createTestEngine()
  const { url, close } = await serve(engine.handler)
  const signUp = async (username: string) => {
    const password = 'a-long-password'
    await engine.services.users.create({ username, password, isActive: true, isSuperuser: false })
    const form = new URLSearchParams({ username, password })
    const signedIn = await fetch(`${url}/api/v1/login`, { method: 'POST', body: form })
    const { access_token: token } = (await signedIn.json()) as { access_token: string }
    const send = async (method: string, path: string, body: object): Promise<string> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
      expect([path, answer.ok]).toEqual([path, true])
      return ((await answer.json()) as { id: string }).id
    }
    await send('POST', '/api/v1/api_key/store', { api_key: 'any' })
    return send
  }
  const content = { description: null, data: {}, tags: null, is_component: true }
  const base = '/api/v1/store/components/'
  const parentOf = async (id: string) => (await engine.options.store.components.get(id))?.parent
  try {
    const [asAda, asBob] = [await signUp('ada'), await signUp('bob')]
    const open = await asAda('POST', base, { ...content, name: 'open', private: false })
    const hidden = await asAda('POST', base, { ...content, name: 'hidden', private: true })
    for (const [parent, kept] of [
      [hidden, null],
      [UNKNOWN, null],
      [open, open],
    ]) {
      const made = await asBob('POST', base, { ...content, name: `of ${parent}`, parent })
      expect(await parentOf(made)).toBe(kept)
      const changed = await asBob('POST', base, { ...content, name: `to ${parent}` })
      await asBob('PATCH', base + changed, { ...content, name: `to ${parent}`, parent })
      expect(await parentOf(changed)).toBe(kept)
    }
    const own = await asAda('POST', base, { ...content, name: 'own', parent: hidden })
    expect(await parentOf(own)).toBe(hidden)
  } finally {
    await close()
  }
})
