import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { addMember, handlerOver, idOf, request } from './scim-handler.ts'

/** Writes for ever, eight at a time, and says on a line of its own what each has answered, until it is killed. */
const [address = ''] = process.argv.slice(2)
const handler = handlerOver(createScimStore(openSqlite<unknown>(address)))
const group = await idOf(await handler(request('POST', '/Groups', { displayName: 'g' })))

const say = (what: string): void => void process.stdout.write(`${what}\n`)
say(`group ${group}`)

let next = 0
async function write(): Promise<void> {
  for (;;) {
    const n = next++
    const created = await handler(request('POST', '/Users', { userName: `u${n}@corp.example` }))
    const id = await idOf(created)
    say(`user ${id}`)
    const { status } = await handler(addMember(group, id))
    if (status === 200) say(`member ${id}`)
  }
}

await Promise.all(Array.from({ length: 8 }, write))
