import { z } from 'zod'
import type { FlowSettings } from '../settings.ts'

/** Settings read by the editor. */
export const Config = z
  .strictObject({
    feature_flags: z.record(z.string(), z.boolean()),
    serialization_max_items_length: z.int(),
    serialization_max_text_length: z.int(),
    frontend_timeout: z.int(),
    auto_saving: z.boolean(),
    auto_saving_interval: z.int(),
    health_check_max_retries: z.int(),
    max_file_size_upload: z.int(),
    webhook_polling_interval: z.int(),
    public_flow_cleanup_interval: z.int(),
    public_flow_expiration: z.int(),
    event_delivery: z.enum(['streaming', 'polling', 'direct']),
    webhook_auth_enable: z.boolean(),
    voice_mode_available: z.boolean(),
    default_folder_name: z.string(),
    hide_getting_started_progress: z.boolean(),
  })
  .meta({ id: 'Config' })

/** Settings read by the page of a public flow. */
export const GuestConfig = z
  .strictObject({
    type: z.literal('public'),
    max_file_size_upload: z.int(),
    event_delivery: z.enum(['streaming', 'polling', 'direct']),
    voice_mode_available: z.boolean(),
    frontend_timeout: z.int(),
  })
  .meta({ id: 'GuestConfig' })

/** Converts the settings to their wire form. */
export function configToWire(settings: FlowSettings): z.input<typeof Config> {
  return {
    feature_flags: { mvp_components: false },
    serialization_max_items_length: settings.maxItemsLength,
    serialization_max_text_length: settings.maxTextLength,
    frontend_timeout: settings.frontendTimeout,
    auto_saving: settings.autoSaving,
    auto_saving_interval: settings.autoSavingInterval,
    health_check_max_retries: settings.healthCheckMaxRetries,
    max_file_size_upload: settings.maxFileSizeUpload,
    webhook_polling_interval: settings.webhookPollingInterval,
    public_flow_cleanup_interval: settings.publicFlowCleanupInterval,
    public_flow_expiration: settings.publicFlowExpiration,
    event_delivery: settings.eventDelivery,
    webhook_auth_enable: settings.webhookAuthEnable,
    voice_mode_available: false,
    default_folder_name: settings.defaultFolderName,
    hide_getting_started_progress: settings.hideGettingStartedProgress,
  }
}

/** The same for the page of a public flow; `direct` if visitors may not read the events of a job. */
export function guestConfigToWire(settings: FlowSettings): z.input<typeof GuestConfig> {
  return {
    type: 'public',
    max_file_size_upload: settings.maxFileSizeUpload,
    event_delivery: settings.publicBuildReaders ? settings.eventDelivery : 'direct',
    voice_mode_available: false,
    frontend_timeout: settings.frontendTimeout,
  }
}
