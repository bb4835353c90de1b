/** Pictures by folder and file name. */
export interface ProfilePictures {
  list(): Promise<readonly { folder: string; name: string }[]>
  read(folder: string, name: string): Promise<Uint8Array | null>
}
