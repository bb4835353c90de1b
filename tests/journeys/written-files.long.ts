import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowJson } from '@x/flow-engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { field, formOf, readingFlow, storeFlow, uploadToFlow, uploadToUser } from './material.ts'
import { newPerson } from './people.ts'
import { startService, type SharedService } from './service.ts'

interface ListedFile {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly size: number
}

let shared: SharedService
let writer = ''
beforeAll(async () => {
  shared = await startService({})
  writer = await storeFlow(shared.service, writingFlow('diary'))
})
afterAll(() => shared.end())

/** Chat Input → Write File → Chat Output. */
function writingFlow(fileName: string, append = true, format = 'txt'): FlowJson {
  const flow = flowBuilder(`writer of ${fileName}`, { components: builtinComponents })
  flow.add('ChatInput')
  flow.add('SaveToFile', {
    values: {
      file_name: fileName,
      append_mode: append,
      local_format: format,
      storage_location: [{ name: 'Local' }],
    },
  })
  flow.add('ChatOutput')
  flow.connect('ChatInput-00001.message', 'SaveToFile-00001.input')
  flow.connect('SaveToFile-00001.message', 'ChatOutput-00001.input_value')
  const json = flow.toJSON()
  for (const { data } of json.data?.nodes ?? []) {
    // The requests of the editor once the storage location is chosen.
    for (const name of ['file_name', 'append_mode', 'local_format']) {
      Object.assign(Object(Reflect.get(data.node.template, name)), { show: true })
    }
  }
  return json
}

const write = (text: string, flow = writer, key = shared.service.key) =>
  shared.service.call('POST', `/api/v1/run/${flow}`, { body: { input_value: text }, key })
const list = async (key = shared.service.key): Promise<ListedFile[]> =>
  (await shared.service.call('GET', '/api/v2/files', { key })).json() as ListedFile[]
const contentOf = async (id: string, key = shared.service.key): Promise<string> =>
  (await shared.service.call('GET', `/api/v2/files/${id}`, { key })).text
const named = async (name: string): Promise<ListedFile> => {
  const found = (await list()).find((file) => file.name === name)
  if (found === undefined) throw new Error(`${name} is not listed`)
  return found
}

describe('files written by a run', () => {
  test('are listed with the owner’s files, downloaded, appended to, and read by another run', async () => {
    expect((await write('first')).text).toContain('diary.txt')
    expect((await write('second')).text).toContain('appended')
    const diary = await named('diary')
    expect(diary).toMatchObject({
      size: 12,
      path: expect.stringMatching(/\/diary\.txt$/) as string,
    })
    expect(await contentOf(diary.id)).toBe('first\nsecond')
    const reader = await storeFlow(shared.service, readingFlow([diary.path], 'diary reader'))
    const read = await shared.service.call('POST', `/api/v1/run/${reader}`, { body: {} })
    expect(read.text).toContain('second')

    await shared.service.call('DELETE', `/api/v2/files/${diary.id}`)
    await write('again')
    expect(await contentOf((await named('diary')).id)).toBe('again')
  })

  test('AB-77 twenty runs that append concurrently lose no data', async () => {
    const flow = await storeFlow(shared.service, writingFlow('log', true, 'json'))
    const texts = Array.from({ length: 20 }, (_, n) => `entry ${n}`)
    const answers = await Promise.all(texts.map((text) => write(text, flow)))
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
    const log = await named('log')
    const kept = await contentOf(log.id)
    for (const text of texts) expect(kept).toContain(`"${text}"`)
    expect(log.size).toBe(kept.length)
    expect((await list()).filter(({ name }) => name.startsWith('log'))).toHaveLength(1)
  })

  test('replace an upload of the same path and are listed beside others of the same name', async () => {
    await uploadToUser(shared.service, 'plan.md', { bytes: 'mine' })
    const path = await uploadToUser(shared.service, 'plan.txt', { bytes: 'old' })
    expect(path).toMatch(/\/plan \(1\)\.txt$/)
    const flow = await storeFlow(shared.service, writingFlow('plan', false))
    await write('made by a run', flow)
    const names = (await list()).filter(({ name }) => name.startsWith('plan'))
    expect(names.map(({ name }) => name)).toEqual(['plan', 'plan (1)', 'plan (2)'])
    expect(names[2]?.path).toMatch(/\/plan\.txt$/)
  })

  test('are deleted with uploads when their user is deleted; other users cannot see them', async () => {
    const carl = await newPerson(shared.service, 'carl')
    const flow = await storeFlow(shared.service, writingFlow('secret'), {}, carl.key)
    await write('of carl', flow, carl.key)
    await uploadToUser(shared.service, 'note.txt', { key: carl.key })
    await storeFlow(shared.service, readingFlow(), { fs_path: 'work/copy.json' }, carl.key)
    const [written] = await list(carl.key)
    expect(await list(carl.key)).toHaveLength(2)
    const mine = await shared.service.call('GET', `/api/v2/files/${written?.id ?? ''}`)
    expect(mine.status).toBe(404)
    expect(await filesBelow(shared.service.folder, carl.id)).toHaveLength(3)
    await shared.service.call('DELETE', `/api/v1/users/${carl.id}`)
    expect(await filesBelow(shared.service.folder, carl.id)).toEqual([])
  })
})

describe('AB-77 concurrent uploads of the same name', () => {
  test('twenty uploads all return 201, each with its own name and bytes', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `content ${n}`)
    const answers = await Promise.all(
      texts.map(async (text) =>
        shared.service.call('POST', '/api/v2/files', { body: await formOf('same.txt', text) }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201))
    const paths = answers.map((answer) => field(answer, 'path').replace(/^[^/]*\//, ''))
    const wanted = ['same.txt', ...texts.slice(1).map((_, n) => `same (${n + 1}).txt`)]
    expect(paths.toSorted()).toEqual(wanted.toSorted())
    const contents = await Promise.all(answers.map((answer) => contentOf(field(answer, 'id'))))
    expect(contents).toEqual(texts)
  })

  test('twenty uploads with append=true lose no data', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `line ${n}\n`)
    await Promise.all(
      texts.map((bytes) => uploadToUser(shared.service, 'lines.txt', { bytes, append: true })),
    )
    const lines = await named('lines')
    const kept = await contentOf(lines.id)
    expect(kept.split('\n').toSorted()).toEqual(texts.join('').split('\n').toSorted())
    expect(lines.size).toBe(kept.length)
  })
})

describe('chat images', () => {
  test('are served to their owner by access cookie, with security headers', async () => {
    const { service } = shared
    const { id: dora, token, key } = await newPerson(service, 'dora')
    const flow = await storeFlow(service, readingFlow(), {}, key)
    const ofFlow = await uploadToFlow(service, flow, 'flag.png', key)
    const ofUser = await uploadToUser(service, 'flag.png', { key })
    const show = (path: string, cookie: string) =>
      service.call('GET', `/api/v1/files/images/${path}`, { key: null, headers: { cookie } })
    for (const path of [ofFlow, ofUser]) {
      const shown = await show(path, `access_token_lf=${token}`)
      expect(shown.status).toBe(200)
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-site',
      })
      expect((await show(path, '')).status).toBe(403)
      expect((await show(path, 'access_token_lf=forged')).status).toBe(401)
      const erik = await newPerson(service, `erik-${path.slice(-6)}`)
      expect((await show(path, `access_token_lf=${erik.token}`)).status).toBe(404)
    }
    for (const [name, type] of [
      ['Foto größer.webp', 'image/webp'],
      ['scan (1).BMP', 'image/bmp'],
    ] as const) {
      const body = await formOf(name, 'the bytes of a picture')
      const sent = await service.call('POST', `/api/v1/files/upload/${flow}`, { key, body })
      const shown = await show(encodeURI(field(sent, 'file_path')), `access_token_lf=${token}`)
      expect([shown.status, shown.headers.get('content-type')]).toEqual([200, type])
    }
    expect((await show(`${dora}/flag.html`, `access_token_lf=${token}`)).status).toBe(400)
    const download = await service.call('GET', `/api/v1/files/download/${ofFlow}`, {
      key: null,
      headers: { cookie: `access_token_lf=${token}` },
    })
    expect(download.status).toBe(403)
  })
})

async function filesBelow(folder: string, id: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises')
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile() && entry.parentPath.includes(id))
    .map(({ name }) => name)
}
