import { z } from 'zod'
import { refuse } from '../../refusal.ts'
import { MAX_STRANGER_FILE } from '../../services/files/anonymous-uploads.ts'
import { IdParams, text, TextParams, uuid } from '../../wire/scalars.ts'
import { fileAnswer } from '../response/file-answer.ts'
import { route, type Route } from '../route/route.ts'
import { checkUploadHead } from '../request/multipart-boundary.ts'

/** Maximum bytes of a multipart body in addition to its file. */
const FORM_OVERHEAD = 64 * 1024

const flowIdParams = IdParams('flow_id')
const fileParams = z.object({ flow_id: uuid(), file_name: text() })
const UploadResult = z
  .object({ flowId: z.string(), file_path: z.string() })
  .meta({ id: 'FlowFileUpload' })

export const fileRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/files/upload/{flow_id}',
      summary: 'Upload File',
      auth: 'user',
      status: 201,
      consumes: 'multipart',
      before: checkUploadHead,
      params: flowIdParams,
      output: UploadResult,
    },
    async ({ services, caller, params: { flow_id: flowId }, upload }) => {
      await services.files.checkFlow(caller, flowId)
      const file = await upload({ stage: services.files.stage, framed: true })
      const stored = await services.files.upload(flowId, file)
      return { flowId, file_path: `${flowId}/${stored}` }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/files/download/{flow_id}/{file_name}',
      summary: 'Download File',
      auth: 'user',
      produces: 'application/octet-stream',
      params: fileParams,
    },
    async ({ services, caller, params: { flow_id: flowId, file_name: name } }) => {
      await services.files.checkFlow(caller, flowId)
      const file = await services.files.download(flowId, name)
      return fileAnswer(file, { contentType: 'application/octet-stream', name })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/files/images/{flow_id}/{file_name}',
      summary: 'Download Image',
      auth: 'session',
      produces: 'image/*',
      params: fileParams,
    },
    async ({ services, caller, params: { flow_id: flowId, file_name: name } }) => {
      const file = await services.files.image(caller, flowId, name)
      return fileAnswer(file, { contentType: file.contentType, shown: true })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/files/list/{flow_id}',
      summary: 'List Files',
      auth: 'user',
      params: flowIdParams,
      output: z.object({ files: z.array(z.string()) }),
    },
    async ({ services, caller, params }) => {
      await services.files.checkFlow(caller, params.flow_id)
      return { files: await services.files.list(params.flow_id) }
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/files/delete/{flow_id}/{file_name}',
      summary: 'Delete File',
      auth: 'user',
      params: fileParams,
      output: z.object({ message: z.string() }),
    },
    async ({ services, caller, params: { flow_id: flowId, file_name: name } }) => {
      await services.files.checkFlow(caller, flowId)
      await services.files.remove(flowId, name)
      return { message: `File ${name} deleted successfully` }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/files/profile_pictures/list',
      summary: 'List Profile Pictures',
      auth: 'none',
      output: z.object({ files: z.array(z.string()) }),
    },
    async ({ services }) => ({ files: await services.profilePictures.list() }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/files/profile_pictures/{folder_name}/{file_name}',
      summary: 'Download Profile Picture',
      auth: 'none',
      produces: 'image/*',
      params: TextParams('folder_name', 'file_name'),
    },
    async ({ services, params: { folder_name: folder, file_name: name } }) => {
      const { bytes, contentType } = await services.profilePictures.read(folder, name)
      return fileAnswer({ size: bytes.length, body: new Uint8Array(bytes) }, { contentType })
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/upload/{flow_id}',
      summary: 'Create Upload File',
      auth: 'none',
      status: 201,
      deprecated: true,
      consumes: 'multipart',
      maxBody: MAX_STRANGER_FILE + FORM_OVERHEAD,
      guard: ({ services }) => {
        if (!services.status.settings.deprecatedUpload) throw refuse(404, 'Not Found')
      },
      params: flowIdParams,
      output: UploadResult,
    },
    async ({ services, params: { flow_id: flowId }, upload }) => {
      await services.anonymousUploads.checkFlow(flowId)
      return { flowId, file_path: await services.anonymousUploads.upload(flowId, await upload()) }
    },
  ),
]
