import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { askAssemblyAi, pollTranscript } from './assembly-ai.ts'
import { textIn } from './vendor-request.ts'

const MAX_WAIT_S = 3600

/** Transcribes a recording and waits for the text. */
export const assemblyAiTranscriber = defineComponent({
  type: 'AssemblyAITranscriber',
  displayName: 'AssemblyAI Transcriber',
  description: 'Transcribes a recording with AssemblyAI.',
  icon: 'mic',
  category: 'assemblyai',
  idempotent: false,
  inputs: {
    api_key: field.secret({ displayName: 'AssemblyAI API Key', required: true }),
    audio_url: field.text({
      displayName: 'Audio File URL',
      default: 'https://assembly.ai/wildfires.mp3',
      required: true,
    }),
    language_code: field.text({ displayName: 'Language Code', advanced: true }),
    poll_timeout: field.int({
      displayName: 'Poll Timeout (s)',
      default: 300,
      advanced: true,
      info: 'In seconds, at most 3,600.',
    }),
    speaker_labels: field.bool({ displayName: 'Speaker Labels', default: false, advanced: true }),
  },
  outputs: {
    transcript: output.message({
      displayName: 'Transcript',
      method: 'transcribe',
      async run({ api_key: key, audio_url, language_code, speaker_labels, ...given }, ctx) {
        const seconds = Math.min(MAX_WAIT_S, Math.max(0, given.poll_timeout))
        const body = {
          audio_url,
          speaker_labels,
          ...(language_code === '' ? {} : { language_code }),
        }
        const job = await askAssemblyAi('/transcript', { key, body }, ctx)
        const timing = { everyMs: 3000, untilMs: seconds * 1000 }
        const found = await pollTranscript(textIn(job.id), { key, ...timing }, ctx)
        if (found.status === 'completed') return textIn(found.text)
        if (found.status === 'error') {
          throw new TypeError(`AssemblyAI transcription error: ${textIn(found.error)}`)
        }
        const status = textIn(found.status)
        throw new TypeError(`Transcription timed out after ${seconds}s (last status: ${status}).`)
      },
    }),
  },
})
