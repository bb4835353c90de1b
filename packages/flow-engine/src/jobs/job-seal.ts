import { FlowError } from '../errors.ts'

/** Encrypts strings at rest, like the secret box of a service. */
export interface JobSecretBox {
  seal(text: string, context: string): Promise<string>
  open(sealed: string, context: string): Promise<string | null>
}

/** Encrypts users' data, so that access to the store does not reveal it. */
export interface JobSeal {
  /** False: values are stored unencrypted. */
  readonly seals: boolean
  seal(jobId: string, value: unknown): Promise<unknown>
  /** Values stored unencrypted are returned as is. */
  open(jobId: string, stored: unknown): Promise<unknown>
}

const contextOf = (jobId: string): string => `job:${jobId}`

export function createJobSeal(box: JobSecretBox | undefined): JobSeal {
  if (box === undefined)
    return { seals: false, seal: async (_id, value) => value, open: async (_id, stored) => stored }
  return {
    seals: true,
    seal: async (jobId, value) => ({
      sealed: await box.seal(JSON.stringify(value ?? null), contextOf(jobId)),
    }),
    async open(jobId, stored) {
      if (!isSealed(stored)) return stored
      const text = await box.open(stored.sealed, contextOf(jobId))
      if (text !== null) return JSON.parse(text) as unknown
      throw new FlowError(
        'internal',
        `Job ${jobId} was sealed with another secret key: restore the key, or start the job again`,
      )
    },
  }
}

function isSealed(value: unknown): value is { readonly sealed: string } {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).length === 1 && typeof Reflect.get(value, 'sealed') === 'string'
}
