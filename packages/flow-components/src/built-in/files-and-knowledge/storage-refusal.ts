/** The settings of remote storage locations. */
export interface RemoteSettings {
  readonly aws_access_key_id: string | null
  readonly aws_secret_access_key: string | null
  readonly bucket_name: string
  readonly service_account_key: string | null
  readonly folder_id: string
}

/**
 * Describes the error for AWS or Google Drive: the first missing setting, or that the location is not
 * supported.
 */
export function storageRefusal(location: string, inputs: RemoteSettings): string {
  const needed = new Map([
    [
      'AWS',
      [
        [inputs.aws_access_key_id, 'AWS Access Key ID is required for S3 storage'],
        [inputs.aws_secret_access_key, 'AWS Secret Key is required for S3 storage'],
        [inputs.bucket_name, 'S3 Bucket Name is required for S3 storage'],
      ],
    ],
    [
      'Google Drive',
      [
        [
          inputs.service_account_key,
          'GCP Credentials Secret Key is required for Google Drive storage',
        ],
        [inputs.folder_id, 'Google Drive Folder ID is required for Google Drive storage'],
      ],
    ],
  ]).get(location)
  if (needed === undefined) return `Unsupported storage location: ${location}`
  const missing = needed.find(([value]) => value === null || value === '')?.[1]
  return missing ?? `${location} is not supported: files are written to the host's file store only`
}
