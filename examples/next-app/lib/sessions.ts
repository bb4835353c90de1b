/** The app's existing users by session. */
export const SESSIONS: ReadonlyMap<string, { readonly id: string; readonly name: string }> =
  new Map([['session-of-ada', { id: '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01', name: 'ada' }]])
