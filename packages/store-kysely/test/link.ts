import { readFile } from 'node:fs/promises'
import { createScimService, fold, type ScimService, type UserRecord } from '@x/scim-core'
import type { UserChange } from '@x/flow-service/store'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { linkUsers, type LinkOptions, type LinkedStores } from '@x/store-kysely/link'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyTables, type TestDatabase } from './databases.ts'

const ID = '7c000000-0000-4000-8000-000000000001'
const OTHER = '7c000000-0000-4000-8000-000000000002'
const at = (n: number): Date => new Date(Date.UTC(2031, 0, 1, 0, 0, n))

const scimUser = (userName: string, more: Partial<UserRecord> = {}): UserRecord => ({
  tenant: 'default',
  id: ID,
  externalId: null,
  userName,
  userNameKey: fold(userName),
  active: true,
  data: '{"displayName":"Ada"}',
  created: at(1),
  lastModified: at(1),
  version: 1,
  deletedAt: null,
  ...more,
})

const flowUser = (id: string, username: string, isSuperuser = false) => ({
  id,
  username,
  passwordHash: 'hash',
  profileImage: null,
  storeApiKey: null,
  isActive: true,
  isSuperuser,
  optins: null,
  createdAt: at(0),
  updatedAt: at(0),
  tokenEpoch: 0,
  lastLoginAt: null,
})

/** Users of both stores as the same people. */
export function defineLink(name: string, open: () => Promise<TestDatabase>): void {
  describe(`linkUsers: ${name}`, () => {
    let database: TestDatabase
    let stores: LinkedStores
    const link = (options: LinkOptions = {}): LinkedStores => linkUsers(database.db, options)

    beforeAll(async () => {
      database = await open()
      await migrateScim(database.db)
      await migrateFlow(database.db)
    })
    afterAll(() => database.close())
    beforeEach(async () => {
      await emptyTables(database.db)
      stores = link()
    })

    test('SU-10 a provisioned user is a flow user of its id, without a password', async () => {
      await stores.scim.users.insert('default', scimUser('Ada@corp.example'))
      expect(await stores.flow.users.get(ID)).toMatchObject({
        username: 'Ada@corp.example',
        isActive: true,
        isSuperuser: false,
        passwordHash: null,
        createdAt: at(1),
      })
    })

    test('SU-3 stores that are not linked know nothing of each other', async () => {
      const scim = createScimStore(database.db)
      const flow = createFlowStore(database.db)
      await flow.users.insert(flowUser(OTHER, 'ada@corp.example'))
      await scim.users.insert('default', scimUser('ada@corp.example'))
      expect(await flow.users.get(ID)).toBeNull()
      await flow.users.update(OTHER, { isActive: false })
      expect(await scim.users.get('default', ID)).toMatchObject({ active: true })
      await flow.users.remove(OTHER)
      await scim.users.remove('default', ID)
      for (const [core, other] of Object.entries({
        'scim-core': '@x/flow-service',
        'flow-service': '@x/scim-core',
      })) {
        const { dependencies, peerDependencies = {} } = await manifestOf(core)
        expect([core, ...Object.keys({ ...dependencies, ...peerDependencies })]).not.toContain(
          other,
        )
      }
    })

    test('SU-18 groups change nothing of the flow side, and are read by the service', async () => {
      const service = createScimService({
        store: stores.scim,
        baseUrl: 'https://host.example/scim',
        auth: { kind: 'token', token: 'x' },
      })
      const told: string[] = []
      service.events.on('*', (_event, event) => told.push(event))
      const { id } = await service.users.create('default', { userName: 'ada@corp.example' })
      const before = await stores.flow.users.get(id)
      const group = await service.groups.create('default', {
        displayName: 'Engineers',
        members: [{ value: id }],
      })
      await service.groups.delete('default', group.id)
      expect(await stores.flow.users.get(id)).toEqual(before)
      expect(group).toMatchObject({ displayName: 'Engineers', members: [{ value: id }] })
      expect(told.filter((event) => event.startsWith('group.'))).toEqual([
        'group.created',
        'group.members.changed',
        'group.deleted',
      ])
    })

    test('SU-1 users of other tenants have no flow user', async () => {
      await stores.scim.users.insert('other', scimUser('a@corp.example', { tenant: 'other' }))
      expect(await stores.flow.users.get(ID)).toBeNull()
    })

    test('SU-11 a flow user of the same folded name is a conflict, and nothing is kept', async () => {
      await stores.flow.users.insert(flowUser(OTHER, 'ADA@corp.example'))
      await expect(
        stores.scim.users.insert('default', scimUser('ada@corp.example')),
      ).rejects.toMatchObject({ constraint: 'user.userName' })
      expect(await stores.scim.users.get('default', ID)).toBeNull()
    })

    test('SU-11 with adoption the flow user is taken over, but never a superuser', async () => {
      const adopting = link({ adoptUsers: true })
      await stores.flow.users.insert(flowUser(OTHER, 'ADA@corp.example'))
      await stores.flow.users.insert(flowUser(ID, 'root@corp.example', true))
      const id = await adopting.scim.users.adopt?.('default', scimUser('ada@corp.example'))
      expect(id).toBe(OTHER)
      await adopting.scim.users.insert('default', scimUser('ada@corp.example', { id: OTHER }))
      expect(await stores.flow.users.get(OTHER)).toMatchObject({
        username: 'ada@corp.example',
        passwordHash: 'hash',
      })
      expect(await adopting.scim.users.adopt?.('default', scimUser('ada@corp.example'))).toBeNull()
      expect(
        await adopting.scim.users.adopt?.('default', scimUser('root@corp.example')),
      ).toMatchObject({ refuse: 'unmanaged' })
    })

    test('SF-25 without adoption the answer says how to link the account', async () => {
      const closed = link({ adoptHint: 'Rename it.' })
      await stores.flow.users.insert(flowUser(OTHER, 'ada@corp.example'))
      const adopt = (userName: string) => closed.scim.users.adopt?.('default', scimUser(userName))
      expect(await adopt('ADA@corp.example')).toEqual({ refuse: 'unmanaged', hint: 'Rename it.' })
      expect(await adopt('free@corp.example')).toBeNull()
    })

    test('SF-26 an account that signs in elsewhere is not taken over', async () => {
      await stores.flow.users.insert(flowUser(OTHER, 'ada@corp.example'))
      const issuer = 'https://login.example'
      const linkRecord = { userId: OTHER, issuer, subject: 's', createdAt: at(1) }
      await stores.flow.oidcLinks.insert(linkRecord)
      const adopted = (signInIssuer?: string) =>
        link({ adoptUsers: true, ...(signInIssuer && { signInIssuer }) }).scim.users.adopt?.(
          'default',
          scimUser('ada@corp.example'),
        )
      const refused = { refuse: 'unmanaged', hint: 'It cannot be linked.' }
      expect(await adopted()).toEqual(refused)
      expect(await adopted('https://other.example')).toEqual(refused)
      expect(await adopted(issuer)).toBe(OTHER)
    })

    test('SF-26 what opened an account that nobody may use opens it no longer', async () => {
      const adopting = link({ adoptUsers: true })
      for (const isActive of [true, false]) {
        const userName = `${isActive ? 'on' : 'off'}@corp.example`
        const id = isActive ? OTHER : ID
        await stores.flow.users.insert({ ...flowUser(id, userName), isActive })
        await adopting.scim.users.insert('default', scimUser(userName, { id }))
        expect(await stores.flow.users.get(id)).toMatchObject({
          isActive: true,
          passwordHash: isActive ? 'hash' : null,
        })
      }
    })

    test('SU-13 deactivation by SCIM ends sessions; events come after the commit', async () => {
      const told: UserChange[] = []
      const telling = link({ onFlowUserWrite: (change) => told.push(change) })
      const record = scimUser('ada@corp.example')
      await telling.scim.users.insert('default', record)
      const family = { id: OTHER, userId: ID, createdAt: at(1), expiresAt: at(100) }
      await stores.flow.refreshFamilies.insert(family, 'token')
      await telling.scim.transaction('default', async (tx) => {
        await tx.users.update('default', { ...record, version: 2, active: false }, 1)
        expect(told).toHaveLength(1)
      })
      expect(told.map(({ kind }) => kind)).toEqual(['create', 'deactivate'])
      expect(await stores.flow.users.get(ID)).toMatchObject({ isActive: false })
      expect(await stores.flow.refreshFamilies.get(OTHER)).toBeNull()
    })

    test('SU-2 what is rolled back is written on neither side and told to nobody', async () => {
      const told: UserChange[] = []
      const telling = link({ onFlowUserWrite: (change) => told.push(change) })
      await expect(
        telling.scim.transaction('default', async (tx) => {
          await tx.users.insert('default', scimUser('ada@corp.example'))
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      expect(await stores.flow.users.get(ID)).toBeNull()
      expect(told).toEqual([])
    })

    test('SU-13 deactivation by the flow side is mirrored; both directions can be repeated', async () => {
      await stores.scim.users.insert('default', scimUser('ada@corp.example'))
      await stores.flow.users.update(ID, { isActive: false, updatedAt: at(9) })
      expect(await stores.scim.users.get('default', ID)).toMatchObject({
        active: false,
        version: 2,
        lastModified: at(9),
      })
      await stores.flow.users.update(ID, { isActive: true, updatedAt: at(9) })
      expect(await stores.scim.users.get('default', ID)).toMatchObject({ active: true, version: 3 })
    })

    test('SU-14 the flow side renames no managed user and removes it on both sides', async () => {
      await stores.scim.users.insert('default', scimUser('ada@corp.example'))
      await stores.scim.members.add('default', 'group', [ID], at(2))
      await expect(stores.flow.users.update(ID, { username: 'eve' })).rejects.toMatchObject({
        code: 'invalid_request',
        detail: 'The username is managed by the directory',
      })
      expect(await stores.flow.users.get(ID)).toMatchObject({ username: 'ada@corp.example' })
      await stores.flow.users.remove(ID)
      expect(await stores.scim.users.get('default', ID)).toBeNull()
      expect(await stores.scim.members.count('default', 'group')).toBe(0)
    })

    test('SH-67 groups that a removed flow user leaves count as changed; the outbox and events tell of it', async () => {
      const service: ScimService = createScimService({
        store: link().scim,
        baseUrl: 'https://host.example/scim',
        auth: { kind: 'token', token: 'x' },
        outbox: true,
      })
      const joined = link({
        onScimUserWrite: (change, transaction) => service.recordUserWrite(change, transaction),
      })
      const { id } = await service.users.create('default', { userName: 'ada@corp.example' })
      const members = [{ value: id }]
      const groups = []
      for (const displayName of ['a', 'c', 'b']) {
        const created = await service.groups.create('default', {
          displayName,
          ...(displayName !== 'b' && { members }),
        })
        groups.push(created)
      }
      const { next } = await joined.scim.outbox.read('default')
      const told: string[] = []
      service.events.on('*', (_event, event) => told.push(event))

      await joined.flow.users.update(id, { isActive: false })
      await joined.flow.users.remove(id)

      const { events } = await joined.scim.outbox.read('default', { after: next })
      const types = events.map(({ type }) => type)
      expect(types).toEqual([
        'user.updated',
        'user.deactivated',
        'user.deleted',
        'group.members.changed',
        'group.members.changed',
      ])
      expect(told).toEqual(types)
      expect(events.slice(0, 3).map(({ resourceId }) => resourceId)).toEqual([id, id, id])
      const left = groups.filter(({ displayName }) => displayName !== 'b').map((one) => one.id)
      expect(events.slice(3).map(({ resourceId }) => resourceId)).toEqual(left.toSorted())
      expect(events[3]?.data).toMatchObject({ added: [], removed: [id] })
      for (const group of groups) {
        const changed = await joined.scim.groups.get('default', group.id)
        expect(changed?.version).toBe(group.displayName === 'b' ? 1 : 2)
      }
    })

    test('SH-67 a removal that is undone leaves no row, and tells of nothing', async () => {
      const told: string[] = []
      const joined = link({
        onScimUserWrite: (change, transaction) => service.recordUserWrite(change, transaction),
      })
      const service: ScimService = createScimService({
        store: joined.scim,
        baseUrl: 'https://host.example/scim',
        auth: { kind: 'token', token: 'x' },
        outbox: true,
      })
      const { id } = await service.users.create('default', { userName: 'ada@corp.example' })
      const { next } = await joined.scim.outbox.read('default')
      service.events.on('*', (_event, event) => told.push(event))
      const undone = joined.flow.transaction(async (tx) => {
        await tx.users.remove(id)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect((await joined.scim.outbox.read('default', { after: next })).events).toEqual([])
      expect(told).toEqual([])
      expect(await joined.scim.users.get('default', id)).not.toBeNull()
    })

    test('SU-15 the last active superuser is not deactivated or removed by SCIM', async () => {
      const record = scimUser('ada@corp.example')
      await stores.scim.users.insert('default', record)
      await stores.flow.users.update(ID, { isSuperuser: true })
      const off = { ...record, version: 2, active: false }
      const forbidden = { code: 'forbidden', status: 403 }
      await expect(stores.scim.users.update('default', off, 1)).rejects.toMatchObject(forbidden)
      await expect(stores.scim.users.remove('default', ID)).rejects.toMatchObject(forbidden)
      expect(await stores.scim.users.get('default', ID)).toMatchObject({ active: true, version: 1 })
      await stores.flow.users.insert(flowUser(OTHER, 'root', true))
      expect(await stores.scim.users.update('default', off, 1)).toBe(true)
    })

    test('SU-16 a renamed user is renamed on the flow side, unless the name is taken', async () => {
      const record = scimUser('ada@corp.example')
      await stores.scim.users.insert('default', record)
      const renamed = { ...record, ...names('eve@corp.example'), version: 2 }
      await stores.scim.users.update('default', renamed, 1)
      expect(await stores.flow.users.get(ID)).toMatchObject({ username: 'eve@corp.example' })
      await stores.flow.users.insert(flowUser(OTHER, 'Root'))
      const taken = { ...record, ...names('root'), version: 3 }
      await expect(stores.scim.users.update('default', taken, 2)).rejects.toMatchObject({
        constraint: 'user.userName',
      })
    })

    test('SU-17 a tombstone frees the name and keeps the flow user; remove takes it along', async () => {
      const record = scimUser('ada@corp.example')
      await stores.scim.users.insert('default', record)
      await stores.scim.users.update('default', { ...record, version: 2, deletedAt: at(3) }, 1)
      expect(await stores.flow.users.get(ID)).toMatchObject({
        username: `ada@corp.example (${ID})`,
        isActive: false,
      })
      await stores.scim.users.insert('default', scimUser('ada@corp.example', { id: OTHER }))
      await stores.scim.users.remove('default', OTHER)
      expect(await stores.flow.users.get(OTHER)).toBeNull()
    })
  })
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

async function manifestOf(core: string): Promise<Manifest> {
  const url = new URL(`../../${core}/package.json`, import.meta.url)
  return JSON.parse(await readFile(url, 'utf8')) as Manifest
}

const names = (userName: string) => ({ userName, userNameKey: fold(userName) })
