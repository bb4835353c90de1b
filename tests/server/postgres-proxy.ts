import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** A PostgreSQL that can go away and come back, as far as its clients see. */
export interface PostgresProxy {
  /** The address of the same database through the proxy. */
  readonly address: string
  /** Cuts all connections and takes no new ones. */
  leave(): Promise<void>
  /** Takes connections again. */
  comeBack(): Promise<void>
  /** Holds back everything in both directions until `thaw`; connections are taken. */
  freeze(): void
  thaw(): void
  /** Delivers what clients send that much later, so that each round trip takes it. */
  delay(ms: number): void
  close(): Promise<void>
}

/** @param address `postgres://...?host=<folder of the socket>` or with a host name and a port */
export async function startPostgresProxy(address: string): Promise<PostgresProxy> {
  const url = new URL(address)
  const folder = url.searchParams.get('host')
  const target =
    folder === null
      ? { host: url.hostname, port: Number(url.port || 5432) }
      : { path: `${folder}/.s.PGSQL.${url.port || 5432}` }
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let isFrozen = false
  let lateMs = 0
  const accept = (client: Socket): void => {
    const inner = connect(target)
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.on('data', (chunk) => {
        if (lateMs === 0 || one === inner) other.write(chunk)
        else setTimeout(() => other.writable && other.write(chunk), lateMs)
      })
      if (isFrozen) one.pause()
    }
  }
  const listen = async (port: number): Promise<number> => {
    server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const leave = async (): Promise<void> => {
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    server = undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  url.searchParams.delete('host')
  return {
    address: `postgres://${url.username}@127.0.0.1:${port}${url.pathname}`,
    leave,
    comeBack: async () => void (await listen(port)),
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    delay: (ms) => void (lateMs = ms),
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close: leave,
  }
}
