import type { Caller } from '../../services/base/caller.ts'

/** Placeholder caller for requests without credentials; reading its id throws. */
export const anonymous: Caller = {
  get id(): string {
    throw new TypeError('This operation has no caller')
  },
  username: '',
  isSuperuser: false,
  via: 'token',
  get record(): Caller['record'] {
    throw new TypeError('This operation has no caller')
  },
}
