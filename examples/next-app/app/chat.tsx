'use client'
import { useState } from 'react'

interface RunAnswer {
  readonly outputs: readonly {
    readonly outputs: readonly {
      readonly results: { readonly message: { readonly text: string } }
    }[]
  }[]
}

/** Sends what is typed to the flow `echo` and shows its answers. */
export function Chat() {
  const [lines, setLines] = useState<readonly string[]>([])

  async function send(form: FormData) {
    const response = await fetch('/api/v1/run/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input_value: form.get('message') }),
    })
    const answer: RunAnswer | undefined = response.ok ? await response.json() : undefined
    const text = answer?.outputs[0]?.outputs[0]?.results.message.text
    setLines((before) => [...before, text ?? `Refused: ${response.status}`])
  }

  return (
    <form action={send}>
      <ul>
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
      <input name="message" aria-label="Message" required /> <button>Send</button>
    </form>
  )
}
