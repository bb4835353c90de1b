/** A file of the user's message. */
export interface SentFile {
  /** The member of the request, for errors. */
  readonly param: string
  readonly url: string
  readonly mediaType: string
  readonly filename?: string
}
