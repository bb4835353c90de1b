import { json } from '@x/wire'
import { z } from 'zod'
import { fileStamp, zipStream } from '../../services/flows/flow-archive.ts'
import { listParts } from '../../services/flows/flow-text.ts'
import { refuse } from '../../refusal.ts'
import { bool, IdParams, text, uuid } from '../../wire/scalars.ts'
import {
  UserFileEntry,
  userFileEntryToWire,
  UserFileRead,
  userFileToWire,
} from '../../wire/user-file.ts'
import { fileAnswer } from '../response/file-answer.ts'
import { MEDIUM_BODY } from '../route/body-limit.ts'
import { JsonParts, route, type Route } from '../route/route.ts'
import { zipAnswer } from '../response/zip-answer.ts'

const fileIdParams = IdParams('file_id')
const Message = z.object({ message: z.string() })
/** Maximum bytes of a file whose content is returned as JSON. */
const MAX_CONTENT = 32 * 1024 * 1024

/** The collection is served with and without a trailing slash, without a redirect. */
const collectionRoutes = ['/api/v2/files', '/api/v2/files/'].flatMap((path) => [
  route(
    {
      method: 'POST',
      path,
      summary: 'Upload User File',
      auth: 'user',
      status: 201,
      consumes: 'multipart',
      query: z.object({ append: bool().default(false) }),
      output: UserFileRead,
    },
    async ({ services: { userFiles }, caller, query: { append }, upload }) => {
      const file = await upload(append ? {} : { stage: userFiles.stage })
      return userFileToWire(await userFiles.upload(caller, file, append))
    },
  ),
  route(
    {
      method: 'GET',
      path,
      summary: 'List Files',
      auth: 'user',
      output: UserFileEntry.array(),
    },
    ({ services, caller }) =>
      new JsonParts(
        listParts(services.userFiles.parts(caller), (file) =>
          JSON.stringify(userFileEntryToWire(file)),
        ),
      ),
  ),
  route(
    { method: 'DELETE', path, summary: 'Delete All Files', auth: 'user', output: Message },
    async ({ services, caller }) => {
      const { removed, failed } = await services.userFiles.removeAll(caller)
      if (failed === 0) return { message: `All ${removed} files deleted successfully` }
      const some = `${removed} files deleted successfully, ${failed} files failed to delete.`
      return { message: `${some} See logs for details.` }
    },
  ),
])

export const userFileRoutes: readonly Route[] = [
  ...collectionRoutes,
  route(
    {
      method: 'POST',
      path: '/api/v2/files/batch/',
      summary: 'Download Files Batch',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      produces: 'application/x-zip-compressed',
      body: z.array(uuid()),
    },
    async ({ services, caller, body }) => {
      const files = await services.userFiles.openMany(caller, body)
      const now = services.status.now()
      const name = `filename=${fileStamp(now)}_builder_files.zip`
      return zipAnswer(zipStream(files, now), name)
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v2/files/batch/',
      summary: 'Delete Files Batch',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      body: z.array(uuid()),
      output: Message,
    },
    async ({ services, caller, body }) => {
      const removed = await services.userFiles.removeMany(caller, body)
      return { message: `${removed} files deleted successfully` }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v2/files/{file_id}',
      summary: 'Download File',
      auth: 'user',
      produces: 'application/octet-stream',
      params: fileIdParams,
      query: z.object({ return_content: bool().default(false) }),
    },
    async ({ services, caller, params, query, request }) => {
      if (query.return_content) {
        const { bytes } = await services.userFiles.read(caller, params.file_id, MAX_CONTENT)
        return json(request, utf8(bytes))
      }
      const file = await services.userFiles.open(caller, params.file_id)
      const contentType = 'application/octet-stream'
      return fileAnswer(file, { contentType, name: file.name, plain: true })
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/api/v2/files/{file_id}',
      summary: 'Edit File Name',
      auth: 'user',
      params: fileIdParams,
      query: z.object({ name: text() }),
      output: UserFileRead,
    },
    async ({ services, caller, params, query }) =>
      userFileToWire(await services.userFiles.rename(caller, params.file_id, query.name)),
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v2/files/{file_id}',
      summary: 'Delete File',
      auth: 'user',
      params: fileIdParams,
      output: z.object({ detail: z.string() }),
    },
    async ({ services, caller, params }) => {
      const { name } = await services.userFiles.remove(caller, params.file_id)
      return { detail: `File ${name} deleted successfully` }
    },
  ),
]

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refuse(415, 'Invalid file encoding')
  }
}
