/** Hashes passwords; hashes are self-describing texts. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
  /** Whether a hash was made with other parameters and should be renewed on a good sign-in. */
  needsRenewal?(hash: string): boolean
}

/** Longer passwords are wrong passwords (login.md). */
export const MAX_PASSWORD_LENGTH = 4096
