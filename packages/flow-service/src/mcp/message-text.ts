/** Reads a body of at most so many bytes. @throws BodyTooLargeError, or a Refusal that is passed on */
export type ReadBytes = (most: number) => Promise<Uint8Array>

/** The text of a message. @throws TypeError if the bytes are not UTF-8, and the errors of `read` */
export async function messageText(read: ReadBytes, most: number): Promise<string> {
  return strict.decode(await read(most))
}

const strict = new TextDecoder('utf-8', { fatal: true })
