import { defineComponent, errorText } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { pollTranscript, type Transcript } from './assembly-ai.ts'
import { textIn } from './vendor-request.ts'

const MAX_WAIT_MS = 30 * 60_000

/** Waits for a transcription. Failures are returned as data. */
export const assemblyAiTranscriptionJobPoller = defineComponent({
  type: 'AssemblyAITranscriptionJobPoller',
  displayName: 'AssemblyAI Poll Transcript',
  description: 'Waits for an AssemblyAI transcription.',
  icon: 'AssemblyAI',
  category: 'assemblyai',
  module: 'lfx.components.assemblyai.assemblyai_poll_transcript.AssemblyAITranscriptionJobPoller',
  inputs: {
    api_key: field.secret({ displayName: 'Assembly API Key', required: true }),
    transcript_id: field.data({ displayName: 'Transcript ID', required: true }),
    polling_interval: field.float({
      displayName: 'Polling Interval',
      default: 3,
      advanced: true,
      info: 'Interval in seconds, 3 to 30.',
    }),
  },
  outputs: {
    transcription_result: output.data({
      displayName: 'Transcription Result',
      method: 'poll_transcription_job',
      async run({ api_key: key, transcript_id: job, polling_interval: seconds }, ctx) {
        const known = textIn(job.data.error)
        if (known !== '') return { error: known }
        const everyMs = Math.min(30, Math.max(3, seconds)) * 1000
        try {
          const id = textIn(job.data.transcript_id)
          const found = await pollTranscript(id, { key, everyMs, untilMs: MAX_WAIT_MS }, ctx)
          ctx.status(found)
          return result(found)
        } catch (error) {
          ctx.signal.throwIfAborted()
          return { error: `An error occurred: ${errorText(error)}` }
        }
      },
    }),
  },
})

/** Puts text, utterances and id first. */
function result(found: Transcript): object {
  if (found.status === 'completed') {
    const { text = null, utterances = null, id = null, ...rest } = found
    return { text, utterances, id, ...rest }
  }
  if (found.status === 'error') return { error: textIn(found.error) }
  return { error: `The transcription took longer than ${MAX_WAIT_MS / 60_000} minutes` }
}
