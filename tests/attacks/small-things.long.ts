// Runs each night (.ci/night).
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtinComponents } from '@x/flow-components'
import type { FlowJson } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { describe, expect, test } from 'vitest'
import { storeFlow, uploadToFlow, uploadToUser } from '../journeys/material.ts'
import { newPerson } from '../journeys/people.ts'
import { besideHealth, HEALTH_NOTED, useService } from './attack.ts'
import { saveFlow } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

const SCIM_TOKEN = 'a-long-secret-of-the-directory'
const running = useService({
  SCIM_ENABLED: 'true',
  SCIM_TOKEN,
  SCIM_ADOPT_USERS: 'true',
  SCIM_DELETE_USER: 'remove',
})
const MB = 1024 * 1024

interface ListedFile {
  readonly id: string
  readonly name: string
  readonly size: number
}

describe('limits on small values that requests and lists read often', () => {
  test('overlong names, pictures, tags and sessions are refused with the name of the field', async () => {
    const service = running()
    const long = 'x'.repeat(501)
    const me = (await service.call('GET', '/api/v1/users/whoami')).json() as { id: string }
    const variable = { name: 'v', value: 'x', type: 'Generic', default_fields: [] }
    const attacks: [method: string, path: string, body: object, field: string][] = [
      ['POST', '/api/v1/flows/', { name: long }, 'name'],
      ['POST', '/api/v1/flows/', { name: 'a', endpoint_name: long }, 'endpoint_name'],
      ['POST', '/api/v1/flows/', { name: 'a', tags: [long] }, 'tags'],
      ['POST', '/api/v1/flows/', { name: 'a', description: 'x'.repeat(100_001) }, 'description'],
      ['POST', '/api/v1/flows/', { name: 'a', fs_path: 'a/'.repeat(3000) + 'b' }, 'fs_path'],
      ['POST', '/api/v1/flows/batch/', { flows: [{ name: long }] }, 'name'],
      ['POST', '/api/v1/projects/', { name: long }, 'name'],
      ['POST', '/api/v1/variables/', { ...variable, name: long }, 'name'],
      ['POST', '/api/v1/variables/', { ...variable, default_fields: [long] }, 'default_fields'],
      ['PATCH', `/api/v1/users/${me.id}`, { profile_image: long }, 'profile_image'],
      ['POST', `/api/v2/mcp/servers/${long}`, { url: 'http://h/mcp' }, 'server_name'],
      ['POST', '/api/v1/run/echo', { input_value: 'hi', session_id: long }, 'session_id'],
    ]
    for (const [method, path, body, field] of attacks) {
      const answer = await service.call(method, path, { body })
      expect([path, field, answer.status]).toEqual([path, field, 422])
      const { detail } = answer.json() as { detail: { type: string; loc: unknown[] }[] }
      expect(detail[0]?.type).toBe('string_too_long')
      expect(detail[0]?.loc).toContain(field)
    }
  })

  test('AB-51: strangers that hang up before the end of a body leave no error in the log', async () => {
    const service = running()
    const { hostname, port, host } = new URL(service.url)
    for (const path of ['/api/v1/login', '/api/v1/webhook/any']) {
      const socket = connect(Number(port), hostname)
      const type = 'content-type: application/x-www-form-urlencoded'
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}\r\ncontent-length: 9\r\n\r\nabc`,
      )
      await sleep(300)
      socket.destroy()
    }
    await expect.poll(() => service.output()).toContain('"aborted":true')
    await sleep(300)
    expect(service.output()).not.toContain('client_gone')
  })

  test('AB-69: user names that look like others are refused wherever a user is created or renamed', () =>
    keepsAnswering(running(), async () => {
      const service = running()
      const invisible = ['\u200B', '\u202E', '\uFEFF', '\u00A0', '\u0007']
      const others = [' admin', 'ad  min', 'ａｄｍｉｎ', '\u0430dmin', 'admi\u03BD', 'Zoe\u0308']
      for (const username of [...invisible.map((one) => `adm${one}in`), ...others]) {
        const made = await service.call('POST', '/api/v1/users/', {
          body: { username, password: 'a password' },
        })
        expect([made.status, made.json()]).toEqual([
          400,
          { detail: expect.stringMatching(/^A username must not /) as string },
        ])
        const me = (await service.call('GET', '/api/v1/users/whoami')).json() as { id: string }
        const renamed = await service.call('PATCH', `/api/v1/users/${me.id}`, {
          body: { username },
        })
        expect(renamed.status).toBe(400)
        // Directories may send any form: the names of users are compared in normal form (SC-38).
        if (others.includes(username) && username !== username.normalize('NFKC')) continue
        const provisioned = await service.call('POST', '/api/v1/scim/v2/Users', {
          key: null,
          headers: { authorization: `Bearer ${SCIM_TOKEN}` },
          body: {
            schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
            userName: `${username}@example.com`,
          },
        })
        expect([provisioned.status, provisioned.text]).toEqual([
          400,
          expect.stringMatching(/userName (?:must|holds) /),
        ])
      }
    }))

  test('large bodies of small resources and long lists of ids are refused with 413', async () => {
    const service = running()
    const me = (await service.call('GET', '/api/v1/users/whoami')).json() as { id: string }
    const ids = Array.from({ length: 30_000 }, () => crypto.randomUUID())
    const attacks: [method: string, path: string, body: object][] = [
      ['PATCH', `/api/v1/users/${me.id}`, { optins: { a: 'x'.repeat(MB) } }],
      ['POST', '/api/v1/api_key/', { name: 'x'.repeat(2 * MB) }],
      ['POST', '/api/v1/api_key/store', { api_key: 'x'.repeat(MB) }],
      ['POST', '/api/v1/variables/', { name: 'v', value: 'x'.repeat(MB / 8), default_fields: [] }],
      ['DELETE', '/api/v1/flows/', ids],
      ['POST', '/api/v1/flows/download/', ids],
      ['POST', '/api/v2/files/batch/', ids],
      ['DELETE', '/api/v2/files/batch/', ids],
      ['DELETE', '/api/v1/monitor/messages', ids],
      ['POST', '/api/v1/projects/', { name: 'p', flows_list: ids }],
      ['POST', '/api/v2/mcp/servers/s', { url: `http://h/${'x'.repeat(MB)}` }],
    ]
    for (const [method, path, body] of attacks) {
      const { status } = await service.call(method, path, { body })
      expect([path, status]).toEqual([path, 413])
    }
  })
})

test('creating 5,000 flows of the same name in one request is not slower than others', async () => {
  const service = running()
  const { key } = await newPerson(service, 'mallory@corp.example')
  const flows = Array.from({ length: 5000 }, () => ({ name: 'same', endpoint_name: 'same' }))
  const { result, slowest } = await besideHealth(service, async () => {
    const begun = performance.now()
    const { status } = await service.call('POST', '/api/v1/flows/batch/', { key, body: { flows } })
    return { status, ms: performance.now() - begun }
  })
  expect(result.status).toBe(201)
  expect(result.ms).toBeLessThan(60_000)
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})

test('files of a user and of their flows are deleted when the directory deletes the user', async () => {
  const service = running()
  const zoe = await newPerson(service, 'zoe@corp.example')
  const flow = await saveFlow(service, [['ChatInput']], { key: zoe.key })
  await uploadToFlow(service, flow, 'note.txt', zoe.key)
  await uploadToUser(service, 'note.txt', { key: zoe.key })
  const below = async (): Promise<number> => {
    const all = await readdir(`${service.folder}/files`, { recursive: true, withFileTypes: true })
    const theirs = all.filter(({ parentPath }) =>
      [zoe.id, flow].some((id) => parentPath.includes(id)),
    )
    return theirs.filter((entry) => entry.isFile()).length
  }
  expect(await below()).toBe(2)
  const headers = {
    authorization: `Bearer ${SCIM_TOKEN}`,
    'content-type': 'application/scim+json',
  }
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const adopted = await service.call('POST', '/api/v1/scim/v2/Users', {
    key: null,
    headers,
    body: JSON.stringify({ schemas, userName: zoe.name, active: true }),
  })
  expect([adopted.status, (adopted.json() as { id: string }).id]).toEqual([201, zoe.id])
  const path = `/api/v1/scim/v2/Users/${zoe.id}`
  expect((await service.call('DELETE', path, { key: null, headers })).status).toBe(204)
  await expect.poll(below).toBe(0)
})

test('AB-55 all visitors of a public flow together can write at most 100 MiB', () =>
  keepsAnswering(
    running(),
    async () => {
      const service = running()
      const flow = await storeFlow(service, fillingFlow(), { access_type: 'PUBLIC' })
      const answers: string[] = []
      for (let n = 0; n < 8; n += 1) {
        const path = `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`
        const headers = { cookie: `client_id=${n}` }
        answers.push((await service.call('POST', path, { key: null, headers, body: {} })).text)
      }
      const refused = answers.map((text) => text.includes('have reached their file quota'))
      expect(refused).toEqual([...Array<boolean>(7).fill(false), true])
    },
    HEALTH_NOTED,
  ))

/** Text Input of 13 MB → Write File. */
function fillingFlow(): FlowJson {
  const flow = flowBuilder('fills the disk', { components: builtinComponents })
  flow.add('TextInput', { values: { input_value: 'x'.repeat(13 * MB) } })
  const file = { file_name: 'filled', append_mode: false, local_format: 'txt' }
  flow.add('SaveToFile', { values: { ...file, storage_location: [{ name: 'Local' }] } })
  const json = flow.connect('TextInput-00001.text', 'SaveToFile-00001.input').toJSON()
  for (const { data } of json.data?.nodes ?? []) {
    for (const name of Object.keys(file)) {
      Object.assign(Object(Reflect.get(data.node.template, name)), { show: true })
    }
  }
  return json
}

test('AB-77: sixty uploads of one name, and sixty that append to one file, lose nothing', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const texts = Array.from({ length: 60 }, (_, n) => `${n} ${'x'.repeat(100_000)}\n`)
    const paths = await Promise.all(
      texts.map((bytes) => uploadToUser(service, 'same.txt', { bytes })),
    )
    expect(new Set(paths).size).toBe(texts.length)
    await Promise.all(
      texts.map((bytes) => uploadToUser(service, 'all.txt', { bytes, append: true })),
    )
    const listed = (await service.call('GET', '/api/v2/files')).json() as ListedFile[]
    const contentOf = async ({ id }: ListedFile): Promise<string> =>
      (await service.call('GET', `/api/v2/files/${id}`)).text
    const same = listed.filter(({ name }) => name.startsWith('same'))
    const contents = await Promise.all(same.map(contentOf))
    expect(contents.toSorted()).toEqual(texts.toSorted())
    const all = listed.filter(({ name }) => name === 'all')
    expect(all.map(({ size }) => size)).toEqual([texts.join('').length])
    const lines = (await Promise.all(all.map(contentOf))).join('').split('\n')
    expect(lines.toSorted()).toEqual(texts.join('').split('\n').toSorted())
  }))
