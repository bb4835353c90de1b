import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Users take turns: `flow_job_turn` counts the waiting and running jobs of each user in each lane and knows
 * the first one, `flow_job_lane` counts the waiting jobs of a lane. Triggers keep them right, whatever changes
 * a job, including processes of older versions. They lock the row of the turn before that of the lane, and
 * several rows in order.
 */
export const jobTurns: Migration = {
  id: '0016-job-turns',
  isExpansion: true,
  statements: (dialect) => [
    ...TABLES.map((statement) => translateTypes(dialect, statement)),
    ...EXISTING,
    ...(dialect === 'sqlite' ? SQLITE : POSTGRES),
  ],
}

/** The part of a position that counts up; the rest is the priority. */
const COUNT = 2 ** 44 - 1

const TABLES: readonly string[] = [
  `alter table flow_job add column priority INT not null default 0`,
  `alter table flow_job add column max_queued INT`,
  `create table flow_job_turn (
    lane TEXT not null, user_key TEXT not null, waiting INT not null, suspects INT not null,
    running INT not null, max_running INT, head INT,
    primary key (lane, user_key)) CLUSTERED`,
  `create table flow_job_lane (
    lane TEXT not null, waiting INT not null,
    primary key (lane)) CLUSTERED`,
  `create index flow_job_turn_order on flow_job_turn (lane, running, (head & ${COUNT}))
    where waiting > 0`,
  `create index flow_job_next on flow_job (lane, coalesce(user_id, ''), position, seq)
    where state = 'queued'`,
  `drop index flow_job_waiting`,
]

const EXISTING: readonly string[] = [
  `insert into flow_job_turn (lane, user_key, waiting, suspects, running, max_running, head)
    select lane, coalesce(user_id, ''),
      sum(case when state = 'queued' then 1 else 0 end),
      sum(case when state = 'queued' and crashes > 0 then 1 else 0 end),
      sum(case when state = 'running' then 1 else 0 end),
      max(case when user_id is null then null else max_running_per_user end),
      min(case when state = 'queued' then position end)
    from flow_job where state in ('queued', 'running') group by lane, coalesce(user_id, '')`,
  `insert into flow_job_lane (lane, waiting)
    select lane, count(*) from flow_job where state = 'queued' group by lane`,
]

/** The first waiting job of a turn on SQLite. */
const firstOf = (row: string, what: string): string =>
  `(select ${what} from flow_job where state = 'queued' and lane = ${row}.lane
      and coalesce(user_id, '') = coalesce(${row}.user_id, '') order by position, seq limit 1)`

const sqliteTurn = (row: string, waiting: string, suspects: string, running: string): string => `
    update flow_job_turn set waiting = waiting + ${waiting}, suspects = suspects + ${suspects},
      running = running + ${running}, head = ${firstOf(row, 'position')},
      max_running = ${firstOf(row, 'case when user_id is null then null else max_running_per_user end')}
      where lane = ${row}.lane and user_key = coalesce(${row}.user_id, '');
    delete from flow_job_turn where lane = ${row}.lane and user_key = coalesce(${row}.user_id, '')
      and waiting = 0 and running = 0;`

const sqliteLane = (row: string, waiting: string): string => `
    update flow_job_lane set waiting = waiting + ${waiting} where lane = ${row}.lane;`

const sqliteRows = (row: string): string => `
    insert into flow_job_turn (lane, user_key, waiting, suspects, running)
      values (${row}.lane, coalesce(${row}.user_id, ''), 0, 0, 0) on conflict do nothing;
    insert into flow_job_lane (lane, waiting) values (${row}.lane, 0) on conflict do nothing;`

const isSuspect = (row: string): string => `(${row}.state = 'queued' and ${row}.crashes > 0)`

const SQLITE: readonly string[] = [
  `create trigger flow_job_added after insert on flow_job when new.state = 'queued' begin
    ${sqliteRows('new')}
    select raise(abort, 'flow_job__full') where new.max_queued is not null
      and (select waiting from flow_job_lane where lane = new.lane) >= new.max_queued;
    ${sqliteTurn('new', '1', isSuspect('new'), '0')}
    ${sqliteLane('new', '1')}
  end`,
  `create trigger flow_job_changed after update of state on flow_job
    when old.state <> new.state begin
    ${sqliteRows('new')}
    ${sqliteTurn(
      'new',
      `(new.state = 'queued') - (old.state = 'queued')`,
      `${isSuspect('new')} - ${isSuspect('old')}`,
      `(new.state = 'running') - (old.state = 'running')`,
    )}
    ${sqliteLane('new', `(new.state = 'queued') - (old.state = 'queued')`)}
  end`,
  `create trigger flow_job_removed after delete on flow_job
    when old.state in ('queued', 'running') begin
    ${sqliteTurn('old', `- (old.state = 'queued')`, `- ${isSuspect('old')}`, `- (old.state = 'running')`)}
    ${sqliteLane('old', `- (old.state = 'queued')`)}
  end`,
]

/**
 * The turn is locked before its first job is looked for, so that the search sees all earlier changes. It
 * begins at the first job known: the index may have any number of dead entries before it.
 */
const POSTGRES: readonly string[] = [
  `alter table flow_job_turn set (fillfactor = 70)`,
  `alter table flow_job_lane set (fillfactor = 70)`,
  `create function flow_job_move(in_lane text, in_user text, in_waiting bigint, in_suspects bigint,
      in_running bigint, in_first bigint) returns void language plpgsql as $$
    declare
      since bigint;
      first_position bigint;
      first_limit bigint;
    begin
      loop
        select least(t.head, in_first) into since from flow_job_turn as t
          where t.lane = in_lane and t.user_key = in_user for update;
        exit when found;
        insert into flow_job_turn (lane, user_key, waiting, suspects, running)
          values (in_lane, in_user, 0, 0, 0) on conflict do nothing;
      end loop;
      if in_waiting = 0 then
        update flow_job_turn set running = running + in_running
          where lane = in_lane and user_key = in_user;
        return;
      end if;
      select j.position, case when j.user_id is null then null else j.max_running_per_user end
        into first_position, first_limit from flow_job as j
        where j.state = 'queued' and j.lane = in_lane and coalesce(j.user_id, '') = in_user
          and j.position >= since
        order by j.position, j.seq limit 1;
      update flow_job_turn set waiting = waiting + in_waiting, suspects = suspects + in_suspects,
        running = running + in_running, head = first_position, max_running = first_limit
        where lane = in_lane and user_key = in_user;
    end $$`,
  `create function flow_job_wait(in_lane text, in_waiting bigint, in_most bigint)
      returns void language plpgsql as $$
    declare
      total bigint;
    begin
      insert into flow_job_lane as l (lane, waiting) values (in_lane, in_waiting)
        on conflict (lane) do update set waiting = l.waiting + excluded.waiting
        returning waiting into total;
      if total > in_most then
        raise exception 'flow_job__full' using errcode = 'check_violation';
      end if;
    end $$`,
  ...postgresTrigger('added', 'insert', 'referencing new table as new_jobs'),
  ...postgresTrigger(
    'changed',
    'update',
    'referencing old table as old_jobs new table as new_jobs',
  ),
  ...postgresTrigger('removed', 'delete', 'referencing old table as old_jobs'),
]

function postgresTrigger(
  name: string,
  operation: 'insert' | 'update' | 'delete',
  tables: string,
): readonly string[] {
  const changes = [
    ...(operation === 'delete' ? [] : [changesOf('new_jobs', 1)]),
    ...(operation === 'insert' ? [] : [changesOf('old_jobs', -1)]),
  ].join(' union all ')
  const most = operation === 'insert' ? 'min(c.max_queued)' : 'null::bigint'
  return [
    `create function flow_job_${name}() returns trigger language plpgsql as $$
    begin
      perform flow_job_move(m.lane, m.user_key, m.waiting, m.suspects, m.running, m.first)
        from (select c.lane, c.user_key, sum(c.waiting)::bigint as waiting,
            sum(c.suspects)::bigint as suspects, sum(c.running)::bigint as running,
            min(c.position) as first
          from (${changes}) as c group by c.lane, c.user_key
          having sum(c.waiting) <> 0 or sum(c.running) <> 0
          order by c.lane, c.user_key) as m;
      perform flow_job_wait(m.lane, m.waiting, m.most)
        from (select c.lane, sum(c.waiting)::bigint as waiting, ${most} as most
          from (${changes}) as c group by c.lane having sum(c.waiting) <> 0
          order by c.lane) as m;
      return null;
    end $$`,
    `create trigger flow_job_${name} after ${operation} on flow_job ${tables}
      for each statement execute function flow_job_${name}()`,
  ]
}

function changesOf(table: string, sign: 1 | -1): string {
  return `select lane, coalesce(user_id, '') as user_key, max_queued,
      case when state = 'queued' then ${sign} else 0 end as waiting,
      case when state = 'queued' and crashes > 0 then ${sign} else 0 end as suspects,
      case when state = 'running' then ${sign} else 0 end as running,
      case when state = 'queued' then position end as position
    from ${table} where state in ('queued', 'running')`
}
