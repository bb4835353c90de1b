import { createServer } from 'node:http'
import { guardedMounts, headerMounts } from './guarded-mounts.ts'
import { listen, type Running } from './loopback.ts'

/** A program that starts every mount, and a server that names their ports. It prints the URL of the latter. */
const portsOf = async (
  starting: readonly (readonly [name: string, start: Promise<Running>])[],
): Promise<Record<string, number>> => {
  const entries = await Promise.all(
    starting.map(async ([name, start]) => [name, (await start).port] as const),
  )
  return Object.fromEntries(entries)
}
const guarded = Object.entries(guardedMounts)

const ports = {
  pass: await portsOf(guarded.map(([name, start]) => [name, start({})])),
  normalize: await portsOf(
    guarded.map(([name, start]) => [name, start({ dotSegments: 'normalize' })]),
  ),
  headers: await portsOf(Object.entries(headerMounts).map(([name, start]) => [name, start()])),
}
const { origin } = await listen(
  createServer((_message, reply) => void reply.end(JSON.stringify(ports))),
)
console.log(origin)
