import { createSurfaceChannel } from '@x/surface-protocol/http'
import { v1 } from '@x/surface-protocol/v1'
import { bigUpdateV09, boundUpdatesV09 } from './cases-v09.ts'
import type { Row } from './main-v09.ts'
import { compareAsync } from './measure.ts'

const version = '0.9.1'
type Versions = NonNullable<Parameters<typeof createSurfaceChannel>[0]>['versions']
const SUBSCRIBERS = 100

/** One channel for 100 subscribers: with three versions, and with one. */
export async function channelRow(): Promise<Row> {
  const messages = [...bigUpdateV09(50), ...boundUpdatesV09(300)].map(
    (line) => JSON.parse(line) as never,
  )
  const { bound, ours, ratio } = await compareAsync(
    () => fanOut(messages, [version]),
    () => fanOut(messages, [version, '0.8', v1]),
  )
  const name = 'one channel, 100 subscribers: 3 versions to 1 (first column)'
  return { name, bar: 3.5, value: ratio, unit: 'x', bound, ours }
}

async function fanOut(messages: readonly never[], versions: NonNullable<Versions>): Promise<void> {
  const channel = createSurfaceChannel({ version, versions })
  const subscribers = Array.from({ length: SUBSCRIBERS }, (_, n) =>
    countItems(channel.subscribe({ version: versions[n % versions.length] ?? version })),
  )
  for (const message of messages) await channel.send(message)
  channel.close()
  const counts = await Promise.all(subscribers)
  if (counts.some((count) => count < messages.length)) throw new Error('A message is missing')
}

async function countItems(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of items) count += 1
  return count
}
