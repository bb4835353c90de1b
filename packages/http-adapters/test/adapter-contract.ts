import { afterEach, beforeEach, describe } from 'vitest'
import type { AdapterContext, AdapterOptions } from '@x/http-adapters'
import { bodyCases } from './contract/bodies.ts'
import { errorCases } from './contract/errors.ts'
import { largeCases } from './contract/large.ts'
import { gateCases, requestCases } from './contract/requests.ts'
import { responseCases } from './contract/responses.ts'
import { streamCases } from './contract/streams.ts'
import type { Running } from './loopback.ts'

export type TestHandler = (
  request: Request,
  context: AdapterContext,
) => Response | Promise<Response>

/** The options that mean the same in every mount. */
export type CommonOptions = Pick<
  AdapterOptions<unknown>,
  | 'basePath'
  | 'dotSegments'
  | 'match'
  | 'bodyLimit'
  | 'trustProxy'
  | 'origin'
  | 'onError'
  | 'request'
  | 'context'
>

/** One way of serving a handler over real sockets. */
export interface AdapterMount {
  readonly name: string
  /** Mounted below `at` (default: at the root), with what the framework has to be told for that. */
  start(handler: TestHandler, options?: CommonOptions, at?: string): Promise<Running>
  /** 'oracle': another project's adapter, which has none of our options. */
  readonly kind: 'ours' | 'oracle'
  /** Body of the answer to an invalid Host header; the server underneath may refuse it first. */
  readonly invalidHost: string
  /** True if the body of a response to HEAD is cancelled; else the server leaves it alone. */
  readonly cancelsHead: boolean
  /** Parts of the names of cases in which this mount differs, each with the difference. */
  readonly differs: Readonly<Record<string, string>>
}

/** The tools of each case. */
export interface Bench {
  readonly mount: AdapterMount
  readonly serve: (handler: TestHandler, options?: CommonOptions, at?: string) => Promise<Running>
}

/** The behaviour that is the same in every mount (AD-31). */
export function defineAdapterContract(mount: AdapterMount): void {
  describe(`adapter contract: ${mount.name}`, () => {
    const running: Running[] = []
    beforeEach(({ task, skip }) => {
      for (const [name, difference] of Object.entries(mount.differs)) {
        skip(task.name.includes(name), difference)
      }
    })
    afterEach(async () => {
      await Promise.all(running.splice(0).map((server) => server.stop()))
    })
    const bench: Bench = {
      mount,
      async serve(handler, options, at) {
        const server = await mount.start(handler, options, at)
        running.push(server)
        return server
      },
    }
    requestCases(bench)
    responseCases(bench)
    bodyCases(bench)
    streamCases(bench)
    if (mount.kind === 'oracle') return
    gateCases(bench)
    largeCases(bench)
    errorCases(bench)
  })
}
