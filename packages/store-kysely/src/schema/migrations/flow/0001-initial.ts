import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** All tables of the flow service and its jobs. */
export const initial: Migration = {
  id: '0001-initial',
  statements: (dialect) =>
    [...USERS, ...GRAPHS, ...RECORDS, ...SHARED, ...SIGN_IN, ...JOBS].map((statement) =>
      translateTypes(dialect, statement),
    ),
}

const USERS: readonly string[] = [
  `create table flow_user (
    seq SEQUENCE, id TEXT not null, username TEXT not null,
    username_key TEXT not null, username_fold TEXT not null,
    password_hash TEXT, profile_image TEXT, store_api_key TEXT,
    is_active INT not null, is_superuser INT not null, optins TEXT,
    created_at INT not null, updated_at INT not null, last_login_at INT,
    constraint flow_user__id unique (id),
    constraint flow_user__username unique (username))`,
  `create index flow_user_username_fold on flow_user (username_fold)`,
  `create index flow_user_created_at on flow_user (created_at, id)`,
  `create index flow_user_is_superuser on flow_user (is_superuser) where is_superuser = 1`,
  `create table flow_api_key (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, name TEXT,
    hash TEXT not null, prefix TEXT not null, is_active INT not null,
    total_uses INT not null, last_used_at INT, created_at INT not null,
    constraint flow_api_key__id unique (id),
    constraint flow_api_key__hash unique (hash))`,
  `create index flow_api_key_user_id on flow_api_key (user_id)`,
  `create table flow_variable (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, name TEXT not null,
    type TEXT not null, value TEXT not null, default_fields TEXT,
    created_at INT not null, updated_at INT not null,
    constraint flow_variable__id unique (id),
    constraint flow_variable__name unique (user_id, name))`,
  `create table flow_user_file (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, name TEXT not null,
    path TEXT not null, size INT not null, provider TEXT,
    created_at INT not null, updated_at INT not null,
    constraint flow_user_file__id unique (id),
    constraint flow_user_file__name unique (user_id, name),
    constraint flow_user_file__path unique (path))`,
  `create table flow_mcp_server (
    seq SEQUENCE, user_id TEXT not null, name TEXT not null, config TEXT not null,
    created_at INT not null, updated_at INT not null,
    constraint flow_mcp_server__name unique (user_id, name))`,
]

const GRAPHS: readonly string[] = [
  `create table flow_project (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, name TEXT not null,
    description TEXT, parent_id TEXT, auth_settings TEXT, created_at INT not null,
    constraint flow_project__id unique (id),
    constraint flow_project__name unique (user_id, name))`,
  `create index flow_project_parent_id on flow_project (parent_id) where parent_id is not null`,
  `create table flow_flow (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, folder_id TEXT, name TEXT not null,
    description TEXT, icon TEXT, icon_bg_color TEXT, gradient TEXT,
    is_component INT not null, webhook INT not null, endpoint_name TEXT, tags TEXT,
    locked INT not null, mcp_enabled INT not null, action_name TEXT, action_description TEXT,
    access_type TEXT not null, fs_path TEXT, created_at INT not null, updated_at INT not null,
    data TEXT,
    constraint flow_flow__id unique (id),
    constraint flow_flow__name unique (user_id, name),
    constraint flow_flow__endpoint_name unique (user_id, endpoint_name))`,
  `create index flow_flow_folder_id on flow_flow (folder_id) where folder_id is not null`,
  `create index flow_flow_endpoint on flow_flow (endpoint_name) where endpoint_name is not null`,
]

const RECORDS: readonly string[] = [
  `create table flow_message (
    seq SEQUENCE, id TEXT not null, user_id TEXT, flow_id TEXT, timestamp INT not null,
    sender TEXT, sender_name TEXT, session_id TEXT not null, context_id TEXT,
    text TEXT not null, files TEXT not null, error INT not null, edit INT not null,
    category TEXT not null, properties TEXT not null, content_blocks TEXT not null, duration REAL,
    constraint flow_message__id unique (id))`,
  `create index flow_message_user_id on flow_message (user_id, session_id)`,
  `create index flow_message_flow_id on flow_message (flow_id, session_id)`,
  `create index flow_message_session_id on flow_message (session_id)`,
  `create index flow_message_public on flow_message (timestamp) where user_id is null`,
  `create table flow_vertex_build (
    seq SEQUENCE, build_id TEXT not null, vertex_id TEXT not null, flow_id TEXT not null,
    timestamp INT not null, valid INT not null, params TEXT,
    data TEXT not null, artifacts TEXT not null,
    constraint flow_vertex_build__build_id unique (build_id))`,
  `create index flow_vertex_build_vertex on flow_vertex_build (flow_id, vertex_id, seq)`,
  `create table flow_transaction (
    seq SEQUENCE, id TEXT not null, flow_id TEXT not null, timestamp INT not null,
    vertex_id TEXT not null, target_id TEXT, inputs TEXT, outputs TEXT,
    status TEXT not null, error TEXT,
    constraint flow_transaction__id unique (id))`,
  `create index flow_transaction_flow_id on flow_transaction (flow_id, seq)`,
]

const SHARED: readonly string[] = [
  `create table flow_component (
    seq SEQUENCE, id TEXT not null, owner_id TEXT not null,
    name TEXT not null, name_key TEXT not null, description TEXT, description_key TEXT,
    metadata TEXT not null, is_component INT, parent TEXT, is_private INT not null,
    last_tested_version TEXT not null, last_tested_version_key TEXT not null,
    downloads INT not null, created_at INT not null, updated_at INT not null, data TEXT not null,
    constraint flow_component__id unique (id),
    constraint flow_component__name unique (owner_id, name))`,
  `create table flow_tag (
    seq SEQUENCE, id TEXT not null, name TEXT not null, name_key TEXT not null,
    constraint flow_tag__id unique (id),
    constraint flow_tag__name unique (name))`,
  `create table flow_component_tag (
    component_id TEXT not null, tag_id TEXT not null,
    primary key (component_id, tag_id)) CLUSTERED`,
  `create index flow_component_tag_tag_id on flow_component_tag (tag_id)`,
  `create table flow_like (
    seq SEQUENCE, user_id TEXT not null, component_id TEXT not null, at INT not null,
    constraint flow_like__component_id unique (user_id, component_id))`,
  `create index flow_like_component_id on flow_like (component_id)`,
]

const SIGN_IN: readonly string[] = [
  `create table flow_refresh_family (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null,
    created_at INT not null, expires_at INT not null,
    constraint flow_refresh_family__id unique (id))`,
  `create index flow_refresh_family_user_id on flow_refresh_family (user_id)`,
  `create index flow_refresh_family_expires_at on flow_refresh_family (expires_at)`,
  `create table flow_refresh_token (
    id TEXT not null, family_id TEXT not null, used_at INT, successor_id TEXT,
    primary key (family_id, id)) CLUSTERED`,
  `create table flow_oidc_link (
    seq SEQUENCE, issuer TEXT not null, subject TEXT not null, user_id TEXT not null,
    created_at INT not null,
    constraint flow_oidc_link__subject unique (issuer, subject))`,
  `create index flow_oidc_link_user_id on flow_oidc_link (user_id)`,
]

const JOBS: readonly string[] = [
  `create table flow_job (
    seq SEQUENCE, id TEXT not null, flow_id TEXT not null, user_id TEXT,
    resumable INT not null, created_at INT not null, max_running_per_user INT,
    state TEXT not null, started_at INT, finished_at INT, attempts INT not null,
    cancel_requested INT not null, error TEXT, question TEXT, answer TEXT,
    position INT not null, worker TEXT, lease_until INT, request TEXT not null,
    constraint flow_job__id unique (id))`,
  `create index flow_job_waiting on flow_job (position, seq) where state = 'queued'`,
  `create index flow_job_running on flow_job (lease_until) where state = 'running'`,
  `create index flow_job_running_user on flow_job (user_id)
    where state = 'running' and user_id is not null`,
  `create index flow_job_finished on flow_job (finished_at, seq) where finished_at is not null`,
  `create table flow_job_event (
    job_id TEXT not null, seq INT not null, event TEXT not null, data TEXT not null,
    constraint flow_job_event__seq primary key (job_id, seq)) CLUSTERED`,
  `create table flow_job_checkpoint (
    seq SEQUENCE, job_id TEXT not null, vertex_id TEXT not null, state TEXT not null,
    constraint flow_job_checkpoint__vertex_id unique (job_id, vertex_id))`,
]
