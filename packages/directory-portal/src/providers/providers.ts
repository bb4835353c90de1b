/** The directories whose console the portal describes. */
export const PORTAL_PROVIDERS = [
  'entra',
  'okta',
  'google',
  'onelogin',
  'jumpcloud',
  'ping',
  'other',
] as const

export type PortalProvider = (typeof PORTAL_PROVIDERS)[number]

interface ProviderMetadata {
  readonly name: string
  /** Minutes between two cycles of the directory; null: it sends each change at once. */
  readonly cycleMinutes: number | null
  /** The directory's own documentation. */
  readonly source: string
  readonly sendsGroups: boolean
  /** What each step fills in: a label of the console and the value that belongs into the field. */
  readonly steps: readonly {
    readonly id: 'application' | 'credentials' | 'actions' | 'assign' | 'start'
    /** Screens and buttons of the console, as it names them. */
    readonly path: string
    readonly fields: readonly (readonly [label: string, value: string])[]
  }[]
}

const ADDRESS = 'address'
const SECRET = 'secret'

export const PROVIDER_FACTS: Readonly<Record<PortalProvider, ProviderMetadata>> = {
  entra: {
    name: 'Microsoft Entra ID',
    cycleMinutes: 40,
    source:
      'https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups',
    sendsGroups: true,
    steps: [
      {
        id: 'application',
        path: 'Enterprise applications › New application › Create your own application › Integrate any other application you don’t find in the gallery (Non-gallery)',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Provisioning › New configuration › Test connection',
        fields: [
          ['Authentication method', 'Bearer authentication'],
          ['Tenant URL', ADDRESS],
          ['Secret token', SECRET],
        ],
      },
      { id: 'assign', path: 'Users and groups › Add user/group', fields: [] },
      {
        id: 'start',
        path: 'Provision on demand, then Provisioning › Start provisioning',
        fields: [],
      },
    ],
  },
  okta: {
    name: 'Okta',
    cycleMinutes: null,
    source: 'https://help.okta.com/en-us/content/topics/apps/apps_app_integration_wizard_scim.htm',
    sendsGroups: true,
    steps: [
      {
        id: 'application',
        path: 'Applications › Browse App Catalog or Create App Integration (SAML or SWA) › General › App Settings › Provisioning: SCIM',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Provisioning › Integration › Edit › Test Connector Configuration',
        fields: [
          ['SCIM connector base URL', ADDRESS],
          ['Unique identifier field for users', 'userName'],
          ['Authentication Mode', 'HTTP Header'],
          ['Authorization', SECRET],
        ],
      },
      {
        id: 'actions',
        path: 'Provisioning › To App › Edit: Create Users, Update User Attributes, Deactivate Users',
        fields: [],
      },
      { id: 'assign', path: 'Assignments › Assign, and Push Groups', fields: [] },
    ],
  },
  google: {
    name: 'Google Workspace',
    cycleMinutes: null,
    source: 'https://support.google.com/a/answer/10020171',
    sendsGroups: false,
    steps: [
      {
        id: 'application',
        path: 'Apps › Web and mobile apps › (the app) › Autoprovisioning › Configure autoprovisioning',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Autoprovisioning › App authorization',
        fields: [
          ['Access token', SECRET],
          ['Endpoint URL', ADDRESS],
        ],
      },
      {
        id: 'start',
        path: 'Attribute mapping, Provisioning scope, then Autoprovisioning: On',
        fields: [],
      },
    ],
  },
  onelogin: {
    name: 'OneLogin',
    cycleMinutes: null,
    source: 'https://developers.onelogin.com/scim/create-app',
    sendsGroups: true,
    steps: [
      {
        id: 'application',
        path: 'Applications › Add App › SCIM Provisioner with SAML (SCIM v2 Enterprise)',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Configuration › API Connection › Enable',
        fields: [
          ['SCIM Base URL', ADDRESS],
          ['SCIM Bearer Token', SECRET],
        ],
      },
      {
        id: 'start',
        path: 'Provisioning › Enable provisioning, then Rules, and Users › Pending › Approve',
        fields: [],
      },
    ],
  },
  jumpcloud: {
    name: 'JumpCloud',
    cycleMinutes: null,
    source:
      'https://jumpcloud.com/support/integrate-with-a-custom-application-using-scim-identity-management',
    sendsGroups: true,
    steps: [
      {
        id: 'application',
        path: 'SSO Applications › Add New Application › Custom Application',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Identity Management › Configuration settings › Test User Email › Test Connection › Activate',
        fields: [
          ['SCIM version', 'SCIM 2.0'],
          ['Base URL', ADDRESS],
          ['Token Key', SECRET],
        ],
      },
      { id: 'assign', path: 'User Groups', fields: [] },
    ],
  },
  ping: {
    name: 'PingOne',
    cycleMinutes: null,
    source: 'https://docs.pingidentity.com/pingone/integrations/p1_create_scim_connection.html',
    sendsGroups: true,
    steps: [
      {
        id: 'application',
        path: 'Integrations › Provisioning › + › New Connection › Identity Store › SCIM Outbound',
        fields: [],
      },
      {
        id: 'credentials',
        path: 'Configure Authentication › Test Connection',
        fields: [
          ['SCIM Base URL', ADDRESS],
          ['Authentication Method', 'OAuth 2 Bearer Token'],
          ['OAuth Access Token', SECRET],
          ['User Filter', 'userName Eq "%s"'],
        ],
      },
      {
        id: 'start',
        path: 'New Rule: choose the populations, then switch connection and rule on',
        fields: [],
      },
    ],
  },
  other: {
    name: 'SCIM 2.0',
    cycleMinutes: null,
    source: 'https://www.rfc-editor.org/info/rfc7644',
    sendsGroups: true,
    steps: [
      {
        id: 'credentials',
        path: 'SCIM 2.0',
        fields: [
          ['SCIM base URL', ADDRESS],
          ['Authorization: Bearer', SECRET],
        ],
      },
    ],
  },
}

/** The provider whose steps are shown for a connection. */
export function portalProvider(name: string): PortalProvider {
  return PORTAL_PROVIDERS.find((one) => one === name) ?? 'other'
}
