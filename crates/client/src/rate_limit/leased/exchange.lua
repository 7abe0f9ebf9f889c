-- One exchange of a process with the count that it shares: it reports the ends of its requests, and leases others.
--
-- KEYS: requests  sorted set of `process:number`, by the latest time at which the request arrived
--       waiting   sorted set of the processes that wait, by the time since which they do
--       seen      sorted set of the processes, by the time of their last exchange
--       state     hash: `longest`, the longest period of any limit; `rejected`, until when the service rejects the key
-- ARGV: limit, per, process, first, wanted, queue step, lease,
--       rejected for (0: nothing to report), then the reports: a number, and the time from now at which it arrived, or `never`.
-- Times are in microseconds of the server's clock.

local WAITER_TIMEOUT = 5000000
-- A process is expected to come back within this time.
local ACTIVE = 60000000
local KEPT = 600000000

local requests, waiting, seen, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, per, process, first = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local wanted, queue_step, lease = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
local rejected_for = tonumber(ARGV[8])

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
    return string.format('%.0f', number)
end

local function member(number)
    return process .. ':' .. text(number)
end

-- The score below or at which a request no longer counts.
local function over(period)
    return text(now - period)
end

-- Reports.
for index = 9, #ARGV, 2 do
    local number, offset = tonumber(ARGV[index]), ARGV[index + 1]
    if offset == 'never' then
        redis.call('ZREM', requests, member(number))
    else
        redis.call('ZADD', requests, text(now + tonumber(offset)), member(number))
    end
end
-- An exchange that is made again may have leased them before.
for number = first, first + wanted - 1 do
    redis.call('ZREM', requests, member(number))
end

local longest = math.max(tonumber(redis.call('HGET', state, 'longest') or 0), per)
redis.call('HSET', state, 'longest', text(longest))
redis.call('ZREMRANGEBYSCORE', requests, '-inf', over(longest))
redis.call('ZADD', seen, text(now), process)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', text(now - math.max(longest, ACTIVE)))

-- The rejection of the key.
local rejected_until = tonumber(redis.call('HGET', state, 'rejected') or 0)
if rejected_for > 0 then
    rejected_until = math.max(rejected_until, now + rejected_for)
    redis.call('HSET', state, 'rejected', text(rejected_until))
end

-- The queue. Processes that have not looked again for a while lose their place.
for _, other in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
    local last = tonumber(redis.call('ZSCORE', seen, other) or 0)
    if last <= now - WAITER_TIMEOUT then
        redis.call('ZREM', waiting, other)
    end
end
if queue_step == 'leave' then
    redis.call('ZREM', waiting, process)
end
local place = redis.call('ZRANK', waiting, process)
local waiters = redis.call('ZCARD', waiting)
local ahead = place or waiters
local behind = waiters - ahead - (place and 1 or 0)

local used = redis.call('ZCOUNT', requests, '(' .. over(per), '+inf')
local free = limit - used - ahead
local leased = 0
if rejected_until <= now then
    leased = math.max(0, math.min(wanted, free))
    if leased > 1 and behind > 0 then
        leased = math.max(1, math.min(leased, math.floor(free / (behind + 1))))
    end
end
for number = first, first + leased - 1 do
    redis.call('ZADD', requests, text(now + lease), member(number))
end
if leased > 0 then
    redis.call('ZREM', waiting, process)
elseif queue_step == 'join' and not place then
    redis.call('ZADD', waiting, text(now), process)
end

-- The times until a request may be leased. One in flight is taken to end now, or never to count.
local function arrival(index, highest)
    local found =
        redis.call('ZRANGEBYSCORE', requests, '(' .. over(per), highest, 'WITHSCORES', 'LIMIT', text(index), 1)
    return tonumber(found[2] or now)
end
local wait, soonest = 0, 0
if leased == 0 and free <= 0 then
    wait = math.min(arrival(math.max(0, used + ahead - limit), '+inf'), now) + per - now
end
local resets = 0
if used + leased > 0 then
    resets = math.min(arrival(math.max(0, used + leased - limit), '+inf'), now) + per - now
end
local ended = redis.call('ZCOUNT', requests, '(' .. over(per), text(now))
if ended >= limit then
    soonest = arrival(ended - limit, text(now)) + per - now
end

local processes = redis.call('ZCOUNT', seen, '(' .. text(now - math.max(per, ACTIVE)), '+inf')
local kept = text(math.ceil((longest + lease + KEPT) / 1000))
for _, key in ipairs({ requests, waiting, seen, state }) do
    redis.call('PEXPIRE', key, kept)
end
if rejected_until > now then
    redis.call('PEXPIRE', state, text(math.ceil((rejected_until - now + longest + KEPT) / 1000)))
end

return {
    leased,
    math.max(0, wait),
    math.max(0, soonest),
    used + leased,
    math.max(0, resets),
    math.max(0, rejected_until - now),
    processes,
}
