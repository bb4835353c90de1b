/** Hashes passwords into self-describing strings. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
  /** True if a hash has outdated parameters and should be renewed at the next successful sign-in. */
  needsRenewal?(hash: string): boolean
}

/** Longer passwords are always rejected. */
export const MAX_PASSWORD_LENGTH = 4096
