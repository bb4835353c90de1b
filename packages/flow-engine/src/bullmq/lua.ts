/**
 * Scripts that make each decision about a job atomically in Redis. Beside the entries of BullMQ there
 * is a record for each job:
 *
 * - `job:<id>` a hash: the job and its state; `epoch` counts its entries in BullMQ
 * - `queued` by position, `running` by the end of the lease
 * - `finished` and `finished:<lane>` by the time of the end, `lanes` the names of lanes with such a list
 * - `lane:<lane>` the jobs that wait in it; the limit per user counts in each lane separately
 * - `asking` and `asking:<user>` jobs with an open question, by the time of the question; `waking`
 *   suspended ones by `wakeAt`
 * - `jobs:<user>` all jobs of a user by the time at which they were queued
 * - `suspended` the suspended jobs
 * - `of:<user>` the running jobs of a user, `held:<user>` those that wait for one of them to end
 *
 * - `looked` exists for one lease after a search for missing entries
 *
 * ARGV[1] is the prefix of all keys.
 */
const HEAD = `
local K = ARGV[1]
local function key(id) return K .. 'job:' .. id end
local function holds(id, worker)
  local found = redis.call('HMGET', key(id), 'state', 'worker')
  return found[1] == 'running' and found[2] == worker
end
local function laneOf(id) return redis.call('HGET', key(id), 'lane') or '' end
local function unqueue(id)
  redis.call('ZREM', K .. 'queued', id)
  redis.call('SREM', K .. 'lane:' .. laneOf(id), id)
end
local function enqueue(id)
  local position = redis.call('INCR', K .. 'position')
  redis.call('HSET', key(id), 'state', 'queued', 'position', position)
  redis.call('ZADD', K .. 'queued', position, id)
  redis.call('SADD', K .. 'lane:' .. laneOf(id), id)
  return redis.call('HINCRBY', key(id), 'epoch', 1)
end
local function ownerOf(id)
  local found = redis.call('HMGET', key(id), 'lane', 'user')
  local lane, user = found[1] or '', found[2] or ''
  if lane ~= '' and user ~= '' then user = string.sub(user, #lane + 2) end
  return user
end
local function askingOf(id) return K .. 'asking:' .. ownerOf(id) end
local function wake(id)
  redis.call('SREM', K .. 'suspended', id)
  redis.call('ZREM', K .. 'asking', id)
  redis.call('ZREM', askingOf(id), id)
  redis.call('ZREM', K .. 'waking', id)
end
local function finished(lane) return K .. 'finished' .. (lane == '' and '' or ':' .. lane) end
local function finish(id, at)
  local lane = laneOf(id)
  redis.call('SADD', K .. 'lanes', lane)
  redis.call('ZADD', finished(lane), at, id)
end
local function leave(id)
  redis.call('ZREM', K .. 'running', id)
  local user = redis.call('HGET', key(id), 'user')
  if user == '' then return {} end
  redis.call('SREM', K .. 'of:' .. user, id)
  local freed = redis.call('ZPOPMIN', K .. 'held:' .. user)
  if #freed == 0 then return {} end
  return { freed[1], redis.call('HINCRBY', key(freed[1]), 'epoch', 1) }
end
`

/**
 * id, job, user, limit, resumable, maxQueued, lane, flow, prefix of its entry ids, session, createdAt, flow
 * version. Returns 'taken', 'full' or the entry number.
 */
export const ENQUEUE = `${HEAD}
local id, limit = ARGV[2], ARGV[7]
if redis.call('EXISTS', key(id)) == 1 then return 'taken' end
if limit ~= '' and redis.call('SCARD', K .. 'lane:' .. ARGV[8]) >= tonumber(limit) then return 'full' end
redis.call('HSET', key(id), 'job', ARGV[3], 'user', ARGV[4], 'limit', ARGV[5],
  'resumable', ARGV[6], 'lane', ARGV[8], 'flow', ARGV[9], 'entry', ARGV[10], 'session', ARGV[11], 'createdAt', ARGV[12], 'version', ARGV[13],
  'attempts', 0, 'cancel', 0, 'worker', '', 'lease', 0,
  'error', 'null', 'question', 'null', 'answer', 'null')
local owner = ownerOf(id)
if owner ~= '' then redis.call('ZADD', K .. 'jobs:' .. owner, ARGV[12], id) end
return enqueue(id)
`

/** id, epoch, worker, lease, now. Returns 'stale', 'held' or the record. */
export const CLAIM = `${HEAD}
local id = ARGV[2]
local found = redis.call('HMGET', key(id), 'state', 'epoch', 'user', 'limit', 'position')
if found[1] ~= 'queued' or found[2] ~= ARGV[3] then return 'stale' end
local user, limit = found[3], found[4]
if user ~= '' then
  if limit ~= '' and redis.call('SCARD', K .. 'of:' .. user) >= tonumber(limit) then
    redis.call('ZADD', K .. 'held:' .. user, found[5], id)
    return 'held'
  end
  redis.call('ZREM', K .. 'held:' .. user, id)
  redis.call('SADD', K .. 'of:' .. user, id)
end
unqueue(id)
redis.call('ZADD', K .. 'running', ARGV[5], id)
redis.call('HSET', key(id), 'state', 'running', 'worker', ARGV[4], 'lease', ARGV[5])
redis.call('HINCRBY', key(id), 'attempts', 1)
redis.call('HSETNX', key(id), 'startedAt', ARGV[6])
return redis.call('HGETALL', key(id))
`

/** id, worker, lease. Returns 'lost', 'cancel' or 'kept'. */
export const HEARTBEAT = `${HEAD}
local id = ARGV[2]
if not holds(id, ARGV[3]) then return 'lost' end
redis.call('HSET', key(id), 'lease', ARGV[4])
redis.call('ZADD', K .. 'running', ARGV[4], id)
return redis.call('HGET', key(id), 'cancel') == '1' and 'cancel' or 'kept'
`

/**
 * id, worker, state, finishedAt, error, usage or ''. Returns null, or the id and epoch of the job that may
 * run instead.
 */
export const FINISH = `${HEAD}
local id = ARGV[2]
if not holds(id, ARGV[3]) then return false end
redis.call('HSET', key(id), 'state', ARGV[4], 'finishedAt', ARGV[5], 'error', ARGV[6])
if ARGV[7] ~= '' then redis.call('HSET', key(id), 'usage', ARGV[7]) end
finish(id, ARGV[5])
return leave(id)
`

/** id, worker. Like FINISH, preceded by the number of the job's own entry. */
export const RELEASE = `${HEAD}
local id = ARGV[2]
if not holds(id, ARGV[3]) then return false end
local freed = leave(id)
return { enqueue(id), freed }
`

/** id, worker, question, askedAt, wakeAt, usage or ''. Like FINISH. */
export const SUSPEND = `${HEAD}
local id = ARGV[2]
if not holds(id, ARGV[3]) then return false end
redis.call('HSET', key(id), 'state', 'suspended', 'question', ARGV[4], 'answer', 'null',
  'askedAt', ARGV[5], 'wakeAt', ARGV[6])
if ARGV[7] ~= '' then redis.call('HSET', key(id), 'usage', ARGV[7]) end
redis.call('SADD', K .. 'suspended', id)
if ARGV[4] ~= 'null' then
  redis.call('ZADD', K .. 'asking', ARGV[5], id)
  redis.call('ZADD', askingOf(id), ARGV[5], id)
end
if ARGV[6] ~= '' then redis.call('ZADD', K .. 'waking', ARGV[6], id) end
return leave(id)
`

/** id, answer, attempts. Returns null or the entry number. */
export const RESUME = `${HEAD}
local id = ARGV[2]
local found = redis.call('HMGET', key(id), 'state', 'attempts')
if found[1] ~= 'suspended' then return false end
if ARGV[4] ~= '' and ARGV[4] ~= found[2] then return false end
redis.call('HSET', key(id), 'answer', ARGV[3], 'wakeAt', '')
wake(id)
return enqueue(id)
`

/** now. Returns id and entry number of each suspended job that was queued again. */
export const DUE = `${HEAD}
local due = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', K .. 'waking', '-inf', ARGV[2])) do
  wake(id)
  if redis.call('HGET', key(id), 'state') == 'suspended' then due[#due + 1] = { id, enqueue(id) } end
end
return due
`

/** after, limit, user, flow. Returns the records of the jobs with open questions, oldest first. */
export const PENDING = `${HEAD}
local score = ARGV[2] ~= '' and redis.call('HGET', key(ARGV[2]), 'askedAt')
local least = score or '-inf'
local asking = ARGV[4] == '' and K .. 'asking' or K .. 'asking:' .. ARGV[4]
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', asking, least, '+inf')) do
  if #found >= tonumber(ARGV[3]) then break end
  local behind = not score or redis.call('ZSCORE', asking, id) ~= score or id > ARGV[2]
  local ofFlow = ARGV[5] == '' or redis.call('HGET', key(id), 'flow') == ARGV[5]
  if behind and ofFlow then found[#found + 1] = redis.call('HGETALL', key(id)) end
end
return found
`

/** id, now. Returns null, 'running', or the number of the entry that is no longer needed. */
export const CANCEL = `${HEAD}
local id, now = ARGV[2], ARGV[3]
local found = redis.call('HMGET', key(id), 'state', 'finishedAt', 'user', 'epoch')
if not found[1] or found[2] then return false end
redis.call('HSET', key(id), 'cancel', 1)
if found[1] == 'running' then return 'running' end
redis.call('HSET', key(id), 'state', 'cancelled', 'finishedAt', now)
unqueue(id)
wake(id)
redis.call('ZREM', K .. 'held:' .. found[3], id)
finish(id, now)
return found[4]
`

/**
 * now. Returns for each expired job its id, its previous record, its new epoch (or 0), and the result of
 * FINISH.
 */
export const EXPIRED = `${HEAD}
local late = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', K .. 'running', '-inf', '(' .. ARGV[2])) do
  local before = redis.call('HGETALL', key(id))
  local epoch, freed = 0, {}
  if redis.call('HGET', key(id), 'resumable') == '1' then
    freed = leave(id)
    redis.call('HINCRBY', key(id), 'crashes', 1)
    epoch = enqueue(id)
  end
  late[#late + 1] = { id, before, epoch, freed }
end
return late
`

/**
 * milliseconds, BullMQ queue name with its prefix. Returns id and epoch of waiting jobs without a BullMQ
 * entry, except those that wait for another job to end. Returns nothing if another process has checked within
 * that time.
 */
export const MISSING = `${HEAD}
if not redis.call('SET', K .. 'looked', '1', 'PX', ARGV[2], 'NX') then return {} end
local known = {}
local function entriesOf(lane)
  if known[lane] then return known[lane] end
  local queue = ARGV[3] .. (lane == '' and '' or '-' .. lane) .. ':'
  known[lane] = {}
  for _, list in ipairs({ 'wait', 'paused', 'active' }) do
    for _, entry in ipairs(redis.call('LRANGE', queue .. list, 0, -1)) do known[lane][entry] = true end
  end
  return known[lane]
end
local missing = {}
for _, id in ipairs(redis.call('ZRANGE', K .. 'queued', 0, 999)) do
  local found = redis.call('HMGET', key(id), 'epoch', 'user', 'lane', 'entry')
  if not entriesOf(found[3] or '')[(found[4] or id) .. '-' .. found[1]]
    and not redis.call('ZSCORE', K .. 'held:' .. found[2], id) then
    missing[#missing + 1] = { id, found[1] }
  end
end
return missing
`

/**
 * user, flow or '', marked session or '', states and lanes delimited by commas or '', from, to, offset,
 * limit. Returns the total and the short fields of the page, newest first.
 */
export const LIST = `${HEAD}
local ids = redis.call('ZREVRANGEBYSCORE', K .. 'jobs:' .. ARGV[2], ARGV[8], ARGV[7])
local total, items = 0, {}
local function among(list, value) return list == '' or string.find(list, ',' .. value .. ',', 1, true) end
local function withoutLong(id)
  local all, kept = redis.call('HGETALL', key(id)), { 'id', id }
  for n = 1, #all, 2 do
    if all[n] ~= 'job' and all[n] ~= 'question' and all[n] ~= 'answer' then
      kept[#kept + 1] = all[n]
      kept[#kept + 1] = all[n + 1]
    end
  end
  return kept
end
for _, id in ipairs(ids) do
  local found = redis.call('HMGET', key(id), 'flow', 'session', 'state', 'lane')
  if found[3]
    and (ARGV[3] == '' or ARGV[3] == found[1])
    and (ARGV[4] == '' or ARGV[4] == found[2])
    and among(ARGV[5], found[3]) and among(ARGV[6], found[4] or '') then
    if total >= tonumber(ARGV[9]) and #items < tonumber(ARGV[10]) then
      items[#items + 1] = withoutLong(id)
    end
    total = total + 1
  end
end
return { total, items }
`

/** Returns the numbers of waiting, running and suspended jobs. */
export const COUNT = `${HEAD}
return {
  redis.call('ZCARD', K .. 'queued'),
  redis.call('ZCARD', K .. 'running'),
  redis.call('SCARD', K .. 'suspended')
}
`

/** before, keep, spare, once. Returns the ids of the removed records. */
export const TRIM = `${HEAD}
local ids = {}
local lanes = redis.call('SMEMBERS', K .. 'lanes')
if redis.call('SISMEMBER', K .. 'lanes', '') == 0 then lanes[#lanes + 1] = '' end
for _, lane in ipairs(lanes) do
  local list = finished(lane)
  local surplus = redis.call('ZCARD', list) - tonumber(ARGV[3])
  surplus = math.min(surplus, redis.call('ZCOUNT', list, '-inf', '(' .. ARGV[4]))
  local count = math.max(surplus, redis.call('ZCOUNT', list, '-inf', '(' .. ARGV[2]))
  for _, id in ipairs(count > 0 and redis.call('ZRANGE', list, 0, count - 1) or {}) do
    local isAsked = string.sub(id, 1, 5) == 'once-' and ARGV[5] ~= '+inf'
      and tonumber(redis.call('ZSCORE', list, id)) >= tonumber(ARGV[5])
    if not isAsked then
      redis.call('ZREM', K .. 'jobs:' .. ownerOf(id), id)
      redis.call('DEL', key(id))
      redis.call('ZREM', list, id)
      ids[#ids + 1] = id
    end
  end
end
return ids
`
