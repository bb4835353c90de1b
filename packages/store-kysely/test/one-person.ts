import { createScimConnections } from '@x/scim-core/connections'
import { createMemoryConnectionStore, createMemoryTokenStore } from '@x/scim-core/memory'
import { createScimClient, type ScimClient } from '@x/scim-core/testing'
import { createScimService, type ScimStore } from '@x/scim-core'
import { expect } from 'vitest'

const BASE = 'https://host.example/api/v1/scim/v2'
const GROUPS = ['Admins', 'Staff'] as const

/** What a history runs against. */
export interface OnePersonSubject {
  readonly store: ScimStore
  /** The host's account of a user, where the host has accounts. */
  readonly account?: (
    id: string,
  ) => Promise<{ readonly username: string; readonly isActive: boolean } | null>
  /** Ids of accounts that existed before, by their person. */
  readonly existing?: ReadonlyMap<string, string>
}

/** A person as the directories see it. */
interface Person {
  readonly externalId: string
  userName: string
  active: boolean
  id: string | null
  names: number
  readonly groups: Set<string>
}

/** Numbers below a limit, the same for one seed. */
export function seeded(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * A history of two directories that share a tenant: connections are replaced, and people are found, renamed,
 * moved, deleted, restored and sent by both at once. After each step each person is one user with the id that
 * it had first, the host's account follows, and nobody is in a group that was not pushed since.
 */
export async function runHistory(
  { store, account, existing }: OnePersonSubject,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<void> {
  const random = seeded(seed)
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[random(items.length)] ?? items[0]
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
  })
  const service = createScimService({ store, baseUrl: BASE, auth: connections.auth() })
  const connect = async (): Promise<Link> => {
    const input = { tenant: 'default', name: 'Directory', provider: 'okta' } as const
    const { connection, token, tokenId } = await connections.create(input)
    const client = createScimClient(service.handle, { token })
    return { id: connection.id, tokenId, client }
  }
  const links: [Link, Link] = [await connect(), await connect()]
  const personOf = (name: string): Person => ({
    externalId: `e-${name}`,
    userName: `${name}@corp.example`,
    active: false,
    id: null,
    names: 0,
    groups: new Set(),
  })
  const people: [Person, ...Person[]] = [personOf('ada'), personOf('grace'), personOf('joan')]
  const groups = new Map<string, string>()
  const client = () => pick(links).client

  const find = async (userName: string): Promise<string | undefined> => {
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    const { body } = await client().get(`/Users?filter=${filter}`)
    return (body['Resources'] as { readonly id: string }[])[0]?.id
  }
  const bodyOf = ({ userName, externalId }: Person) => ({ userName, externalId, active: true })
  /** Creates a person who is not active; whoever is taken over belongs to no group. */
  const create = async (person: Person): Promise<void> => {
    const { status, body } = await client().post('/Users', bodyOf(person))
    if (person.active) return expect(status).toBe(409)
    expect([status, body]).toMatchObject([201, {}])
    person.id ??= existing?.get(person.externalId) ?? body.id
    person.active = true
    person.groups.clear()
  }
  const change = async (person: Person, ...operations: object[]): Promise<void> => {
    const { status, body } = await client().patch(`/Users/${person.id}`, operations)
    expect([status, body]).toMatchObject([200, {}])
  }
  const renamed = (person: Person): string =>
    `${person.externalId.slice(2)}${(person.names += 1)}@corp.example`

  const acts: readonly [Act, ...Act[]] = [
    async function reconnect() {
      const index = random(2) === 0 ? 0 : 1
      const link = links[index]
      if (random(2) === 0) {
        await connections.remove('default', link.id)
        links[index] = await connect()
        return
      }
      const options = { overlapSeconds: 0 }
      const fresh = await connections.rotateToken('default', link.id, link.tokenId, options)
      const token = createScimClient(service.handle, { token: fresh.token })
      links[index] = { id: link.id, tokenId: fresh.id, client: token }
    },
    async function restart() {
      for (const person of people) {
        const found = await find(person.userName)
        expect(found ?? null).toBe(person.id)
        if (found === undefined) await create(person)
        await change(person, { op: 'Replace', path: 'active', value: 'True' })
        person.active = true
      }
    },
    async function rename(person) {
      if (person.id === null) return
      person.userName = renamed(person)
      await change(person, { op: 'Replace', path: 'userName', value: person.userName })
    },
    async function recreateUnderNewName(person) {
      if (person.id === null) return
      await change(person, { op: 'replace', value: { active: false } })
      person.active = false
      person.userName = renamed(person)
      await create(person)
    },
    async function move(person) {
      if (person.id === null || !person.active) return
      const name = pick(GROUPS)
      const op = person.groups.has(name) ? 'remove' : 'add'
      const value = [{ value: person.id }]
      const { status } = await client().patch(`/Groups/${groups.get(name)}`, [
        { op, path: 'members', value },
      ])
      expect(status).toBe(200)
      if (op === 'add') person.groups.add(name)
      else person.groups.delete(name)
    },
    async function leave(person) {
      if (person.id === null) return
      if (random(2) === 0) await client().delete(`/Users/${person.id}`)
      else await change(person, { op: 'Replace', path: 'active', value: 'False' })
      person.active = false
    },
    create,
    async function softDelete(person) {
      if (person.id === null) return
      const gone = `0123456789abcdef0123456789abcdef${person.userName}`
      const active = { op: 'Replace', path: 'active', value: 'False' }
      await change(person, active, { op: 'Replace', path: 'userName', value: gone })
      await change(
        person,
        { ...active, value: 'True' },
        { op: 'Replace', path: 'userName', value: person.userName },
      )
      person.active = true
    },
    async function sentByBoth(person) {
      const isNew = person.id === null || !person.active
      const sent = links.map((link) => link.client.post('/Users', bodyOf(person)))
      const answers = await Promise.all(sent)
      expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(
        isNew ? 1 : 0,
      )
      if (!isNew) return
      const made = answers.find(({ status }) => status === 201)
      person.id ??= existing?.get(person.externalId) ?? made?.body.id ?? null
      person.active = true
      person.groups.clear()
    },
  ]

  for (const displayName of GROUPS) {
    const { body } = await client().post('/Groups', { displayName })
    groups.set(displayName, body.id)
  }
  const trail: string[] = []
  for (let step = 0; step < steps; step += 1) {
    const act = pick(acts)
    const person = pick(people)
    trail.push(`${act.name} ${person.externalId}`)
    try {
      await act(person)
      await check()
    } catch (error) {
      throw new Error(`seed ${seed}: ${trail.join(', ')}`, { cause: error })
    }
  }

  async function check(): Promise<void> {
    const { body } = await client().get('/Users')
    const shown = (body['Resources'] as Shown[]).toSorted(byId)
    const wanted = people.filter(({ id }) => id !== null)
    expect(
      shown.map(({ id, userName, active, groups: of = [] }) => [
        id,
        userName,
        active,
        of.map(({ display }) => display).toSorted(),
      ]),
    ).toEqual(
      wanted
        .map(({ id, userName, active, groups: of }) => [id, userName, active, [...of].toSorted()])
        .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    )
    for (const { id, userName, active } of account === undefined ? [] : wanted) {
      expect(await account?.(id ?? '')).toMatchObject({ username: userName, isActive: active })
    }
  }
}

type Act = (person: Person) => Promise<void>

interface Link {
  readonly id: string
  readonly tokenId: string
  readonly client: ScimClient
}

interface Shown {
  readonly id: string
  readonly userName: string
  readonly active: boolean
  readonly groups?: readonly { readonly display: string }[]
}

const byId = (a: Shown, b: Shown): number => a.id.localeCompare(b.id)
