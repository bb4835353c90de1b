import { createServer, type RequestListener } from 'node:http'
import { afterEach } from 'vitest'
import type { AdapterOptions, FetchHandler } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { listen, type Running } from './loopback.ts'

/** Starts servers for the tests of a file; each stops after its test. All give the port. */
export function testServers() {
  const running: Running[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()))
  })
  const keep = (server: Running): number => {
    running.push(server)
    return server.port
  }
  const listenTo = async (listener: RequestListener): Promise<number> =>
    keep(await listen(createServer(listener)))
  const serve = async (handler: FetchHandler, options?: AdapterOptions<object>): Promise<number> =>
    listenTo(toNodeListener(handler, options))
  return { keep, listenTo, serve }
}

/** Answers with what it read, or with the code of the error. */
export async function echo(request: Request): Promise<Response> {
  try {
    return new Response(await request.text())
  } catch (error) {
    return new Response((error as { code: string }).code, { status: 422 })
  }
}
