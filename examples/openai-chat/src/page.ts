/** The chat page. Messages are inserted as text, never as HTML. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Chat with a flow</title>
<style>
  body { font: 16px/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  p { white-space: pre-wrap } .mine { text-align: right } .error { color: #b00020 }
  form { display: flex; gap: .5rem } input { flex: 1; font: inherit; padding: .5rem }
</style>
<h1>Chat with a flow</h1>
<div id="talk" aria-live="polite"></div>
<form><input name="text" aria-label="Message" autocomplete="off" required><button>Send</button></form>
<script type="module">
  const talk = document.querySelector('#talk')
  const form = document.querySelector('form')
  let previous
  const say = (text, kind) => {
    const line = document.createElement('p')
    line.className = kind
    line.textContent = text
    talk.append(line)
    return line
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const text = form.elements.text.value
    form.reset()
    say(text, 'mine')
    const answer = say('', 'theirs')
    const response = await fetch('chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, previous }),
    })
    let rest = ''
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + part).split('\\n')
      rest = lines.pop()
      for (const { delta, id, error } of lines.map((line) => JSON.parse(line))) {
        if (delta !== undefined) answer.textContent += delta
        if (id !== undefined) previous = id
        if (error !== undefined) say(error, 'error')
      }
    }
  })
</script>
`
