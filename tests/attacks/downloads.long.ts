// Runs each night (.ci/night).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { besideHealth, HEALTH, useService } from './attack.ts'

const MIB = 1024 * 1024
const SIZE = 32 * MIB
const READERS = 12

const running = useService({})

async function upload(path: string, name: string, size = SIZE): Promise<Record<string, string>> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(size).fill(0x61)]), name)
  const answer = await running().call('POST', path, { body: form })
  expect(answer.status).toBe(201)
  return answer.json() as Record<string, string>
}

async function makeFlow(): Promise<string> {
  const body = { name: 'files', data: { nodes: [], edges: [] } }
  const made = await running().call('POST', '/api/v1/flows/', { body })
  return (made.json() as { id: string }).id
}

/** A client that reads the beginning of an answer and then stops. */
async function stall(method: string, path: string, body = ''): Promise<Socket> {
  const { hostname, port } = new URL(running().url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', `x-api-key: ${running().key}`]
  const sent =
    body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]
  socket.write(`${[...head, ...sent].join('\r\n')}\r\n\r\n${body}`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
  return socket.pause()
}

test('AB-51: downloads are read from disk as their readers take them', async () => {
  const flow = await makeFlow()
  const { id = '' } = await upload('/api/v2/files', 'large.bin')
  const { file_path: ofFlow = '' } = await upload(`/api/v1/files/upload/${flow}`, 'large.png')
  const downloads = [
    ['GET', `/api/v2/files/${id}`],
    ['GET', `/api/v1/files/download/${ofFlow}`],
    ['GET', `/api/v1/files/images/${ofFlow}`],
    ['POST', '/api/v2/files/batch/', JSON.stringify([id])],
  ] as const
  const stalled: Socket[] = []
  const { slowest, grown } = await besideHealth(running(), async () => {
    for (let n = 0; n < READERS; n += 1)
      for (const [method, path, body] of downloads) stalled.push(await stall(method, path, body))
  })
  for (const socket of stalled) socket.destroy()
  // Held in memory they are 1.5 GiB.
  expect(grown).toBeLessThan(200)
  expect(slowest).toBeLessThan(HEALTH)

  for (const [method, path, body] of downloads) {
    const answer = await fetch(`${running().url}${path}`, {
      method,
      headers: { 'x-api-key': running().key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const [whole = bytes] = method === 'GET' ? [] : Object.values(unzipSync(bytes))
    expect([path, Buffer.alloc(SIZE, 0x61).equals(whole)]).toEqual([path, true])
    const length = method === 'GET' ? String(SIZE) : null
    expect(answer.headers.get('content-length')).toBe(length)
  }
})

test('AB-51: the content of a large file is not returned as JSON', async () => {
  const { id = '' } = await upload('/api/v2/files', 'long.txt', 33 * MIB)
  const answer = await running().call('GET', `/api/v2/files/${id}?return_content=true`)
  const detail =
    'The file long.txt has 33 MB, but return_content returns at most 32 MB. Download it without return_content.'
  expect([answer.status, answer.json()]).toEqual([413, { detail }])
})
