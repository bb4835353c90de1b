import { cookies } from 'next/headers'
import { SESSIONS } from '../lib/sessions.ts'
import { Chat } from './chat.tsx'

export default async function Page() {
  const user = SESSIONS.get((await cookies()).get('session')?.value ?? '')
  return (
    <main>
      <h1>A flow in a Next app</h1>
      {user === undefined ? (
        <form action="/sign-in" method="post">
          <button>Sign in as Ada</button>
        </form>
      ) : (
        <Chat />
      )}
    </main>
  )
}
