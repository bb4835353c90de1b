// Runs each night (.ci/night).
import { readdir } from 'node:fs/promises'
import { builtinComponents } from '@x/flow-components'
import type { FlowJson } from '@x/flow-engine'
import { flowBuilder, startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  chatFlow,
  readingFlow,
  storeFlow,
  uploadToFlow,
  uploadToUser,
} from '../journeys/material.ts'
import { startService, type Service, type SharedService } from '../journeys/service.ts'
import { keepsAnswering } from './keeps-answering.ts'

let shared: SharedService
let service: Service
let model: FakeOpenAi
beforeAll(async () => {
  model = await startFakeOpenAi()
  shared = await startService({ OPENAI_API_KEY: 'sk-journey', OPENAI_BASE_URL: model.url })
  service = shared.service
})
afterAll(async () => {
  await shared.end()
  await model.close()
})

const store = (flow: FlowJson) => storeFlow(service, flow, { access_type: 'PUBLIC' })
const asVisitor = (flow: string, body: object) =>
  service.call('POST', `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`, {
    key: null,
    headers: { cookie: 'client_id=a-stranger' },
    body,
  })
const asOwner = (flow: string, body: object) =>
  service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=direct`, { body })
const say = (input_value: string) => ({ inputs: { input_value } })

/** Chat Input → the path of File → Chat Output: the visitor's text names the file. */
function openFlow(): FlowJson {
  const flow = flowBuilder('opens what it is told', { components: builtinComponents })
  flow.add('ChatInput')
  flow.add('File')
  flow.add('ChatOutput')
  flow.connect('ChatInput-00001.message', 'File-00001.file_path')
  return flow.connect('File-00001.message', 'ChatOutput-00001.input_value').toJSON()
}

describe('AB-55 a visitor of a public flow', () => {
  test('reads the file that the stored graph names', async () => {
    const flow = await store(readingFlow([await uploadToUser(service, 'note.txt')], 'shows'))
    expect((await asVisitor(flow, {})).text).toContain('blue umbrella')
  })

  test('cannot read the owner’s other files by naming them in the input; the owner can', () =>
    keepsAnswering(service, async () => {
      const flow = await store(openFlow())
      const paths = [
        await uploadToUser(service, 'crew.json'),
        await uploadToFlow(service, flow, 'page.md'),
      ]
      for (const path of paths) {
        expect((await asOwner(flow, say(path))).text).toMatch(/captain|Tides/)
        const name = path.slice(path.indexOf('/') + 1)
        for (const told of [path, name, `../${path}`, `users/${path}`, `flows/${path}`]) {
          const { text } = await asVisitor(flow, say(told))
          expect(text).toContain('File not found')
          expect(text).not.toMatch(/captain|Tides/)
        }
      }
    }))

  test('cannot send the owner’s images to the model or see them in messages', async () => {
    const flow = await store(chatFlow('public chat'))
    const images = [
      await uploadToUser(service, 'flag.png'),
      await uploadToFlow(service, flow, 'flag.png'),
    ]
    for (const image of images) {
      const { text } = await asVisitor(flow, { ...say('look'), files: [image] })
      const unknown = await asVisitor(flow, { ...say('look'), files: [`${flow}/none.png`] })
      expect(text).toContain('File not found')
      expect(unknown.text).toContain('File not found')
      expect(text).not.toContain(`"files":["${image}`)
      expect(text).not.toContain(`"files": ["${image}`)
    }
    expect(model.requests).toEqual([])
  })

  test('writes to a separate folder, which is deleted with the flow', async () => {
    const writing = flowBuilder('takes notes', { components: builtinComponents })
    writing.add('ChatInput')
    writing.add('SaveToFile', {
      values: {
        file_name: 'guestbook',
        append_mode: true,
        local_format: 'txt',
        storage_location: [{ name: 'Local' }],
      },
    })
    writing.add('ChatOutput')
    writing.connect('ChatInput-00001.message', 'SaveToFile-00001.input')
    writing.connect('SaveToFile-00001.message', 'ChatOutput-00001.input_value')
    const json = writing.toJSON()
    for (const { data } of json.data?.nodes ?? []) {
      for (const name of ['file_name', 'append_mode', 'local_format']) {
        Object.assign(Object(Reflect.get(data.node.template, name)), { show: true })
      }
    }
    const flow = await store(json)
    await asOwner(flow, say('of the owner'))
    await asVisitor(flow, say('of a stranger'))
    expect((await asVisitor(flow, say('again'))).text).toContain('appended')
    const files = (await service.call('GET', '/api/v2/files')).json() as {
      name: string
      size: number
    }[]
    expect(files.filter(({ name }) => name.startsWith('guestbook'))).toMatchObject([
      { size: 'of the owner'.length },
    ])
    expect(await visitorFiles(flow)).toEqual(['guestbook.txt'])
    await service.call('DELETE', `/api/v1/flows/${flow}`)
    expect(await visitorFiles(flow)).toEqual([])
  })
})

async function visitorFiles(flow: string): Promise<string[]> {
  const folder = `${service.folder}/files/visitors/${flow}`
  const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}
