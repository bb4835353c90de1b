/** Hashes passwords; hashes are self-describing texts. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
  /**
   * Tells whether a hash has outdated parameters and should be renewed at the next successful
   * sign-in.
   */
  needsRenewal?(hash: string): boolean
}

/** Longer passwords are wrong passwords (login.md). */
export const MAX_PASSWORD_LENGTH = 4096
