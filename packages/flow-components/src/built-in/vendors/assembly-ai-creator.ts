import { isFlowError, errorText } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { FileReference } from '@x/flow-engine'
import { askAssemblyAi } from './assembly-ai.ts'
import { textIn } from './vendor-request.ts'

const FORMATS =
  '3ga 8svx aac ac3 aif aiff alac amr ape au dss flac flv m4a m4b m4p m4r mp3 mpga ogg oga mogg opus qcp tta voc wav wma wv webm mts m2ts ts mov mp2 mp4 m4p m4v mxf'

const fields = {
  api_key: field.secret({ displayName: 'Assembly API Key', required: true }),
  audio_file: field.file({
    displayName: 'Audio File',
    extensions: FORMATS.split(' '),
    attributes: { required: true },
  }),
  audio_file_url: field.text({ displayName: 'Audio File URL', advanced: true }),
  speech_model: field.dropdown({
    closed: false,
    displayName: 'Speech Model',
    default: 'best',
    options: ['best', 'nano'],
    advanced: true,
  }),
  language_detection: field.bool({
    displayName: 'Automatic Language Detection',
    default: false,
    advanced: true,
  }),
  language_code: field.text({ displayName: 'Language', advanced: true }),
  speaker_labels: field.bool({ displayName: 'Enable Speaker Labels', default: false }),
  speakers_expected: field.text({ displayName: 'Expected Number of Speakers', advanced: true }),
  punctuate: field.bool({ displayName: 'Punctuate', default: true, advanced: true }),
  format_text: field.bool({ displayName: 'Format Text', default: true, advanced: true }),
}

type StartInputs = Values<typeof fields>

/** Starts the transcription of a recording. Failures are returned as data. */
export const assemblyAiTranscriptionJobCreator = defineComponent({
  type: 'AssemblyAITranscriptionJobCreator',
  displayName: 'AssemblyAI Start Transcript',
  description: 'Starts the transcription of a recording with AssemblyAI.',
  icon: 'AssemblyAI',
  category: 'assemblyai',
  module: 'lfx.components.assemblyai.assemblyai_start_transcript.AssemblyAITranscriptionJobCreator',
  idempotent: false,
  inputs: fields,
  outputs: {
    transcript_id: output.data({
      displayName: 'Transcript ID',
      method: 'create_transcription_job',
      async run(inputs, ctx) {
        try {
          return await start(inputs, ctx)
        } catch (error) {
          ctx.signal.throwIfAborted()
          return { error: `An error occurred: ${errorText(error)}` }
        }
      },
    }),
  },
})

async function start(inputs: StartInputs, ctx: ComponentContext): Promise<object> {
  const expected = inputs.speakers_expected.trim()
  if (expected !== '' && !/^\d{1,4}$/.test(expected)) {
    return { error: 'Error: Expected Number of Speakers must be a valid integer' }
  }
  const [file] = inputs.audio_file
  const url = inputs.audio_file_url.trim()
  if (file === undefined && url === '') {
    return { error: 'Error: Either an audio file or an audio URL must be specified' }
  }
  const bytes = file === undefined ? undefined : await readFile(file)
  if (bytes === null) return { error: 'Error: Audio file not found' }
  const key = inputs.api_key
  const address =
    bytes === undefined
      ? url
      : textIn((await askAssemblyAi('/upload', { key, body: bytes }, ctx)).upload_url)
  const job = await askAssemblyAi(
    '/transcript',
    {
      key,
      body: {
        audio_url: address,
        speech_model: inputs.speech_model,
        language_detection: inputs.language_detection,
        ...(inputs.language_code === '' ? {} : { language_code: inputs.language_code }),
        speaker_labels: inputs.speaker_labels,
        ...(expected === '' ? {} : { speakers_expected: Number(expected) }),
        punctuate: inputs.punctuate,
        format_text: inputs.format_text,
      },
    },
    ctx,
  )
  const error = textIn(job.error)
  return error === '' ? { transcript_id: job.id } : { error: `An error occurred: ${error}` }
}

/** Returns null if there is no such file. */
async function readFile(file: FileReference): Promise<Uint8Array | null> {
  try {
    return await file.read()
  } catch (error) {
    if (isFlowError(error) && error.code === 'not_found') return null
    throw error
  }
}
