-- One exchange of a process with the count that it shares: it reports the ends of its requests, and leases others.
--
-- KEYS: arrivals   sorted set of requests that have ended, `process:number`, by the latest time at which each arrives
--       leases     sorted set of requests that are leased, or in flight, by the latest time at which each arrives
--       waiting    sorted set of the processes that wait, `process limit per`, by the time since which they do
--       seen       sorted set of the processes, by the time of their last exchange
--       exchanges  hash: the number of the last exchange of each process, and the response to it
--       state      hash: `longest`, the longest period of any limit; `rejected`, until when the service rejects the key;
--                  `now`, the time of the last exchange; `ahead`, how far this is ahead of the server's clock; `sizes`, the time and
--                  the numbers of members of `arrivals`, `leases` and `waiting` after the last exchange
-- ARGV: limit, per, process, exchange, first, wanted, queue step, lease, rejected for (0: nothing to report), known (1: an earlier
--       exchange of this process must be stored), then the reports: a number, what is reported (`never` sent, `arrives` or is in
--       `flight`), and the time from now at which it arrives.
-- Times are in microseconds of the server's clock. If it is set back, this count continues from the last known time; otherwise requests
-- would count until the clock has caught up.
-- Another program may have written to the keys. Values that can't be are discarded, so that nobody waits for them.

local WAITER_TIMEOUT = 5000000
-- A process is expected to come back within this time.
local ACTIVE = 60000000
local KEPT = 600000000
-- No time is later: a lease ends within a day, and a rejection of the key within three. A clock is not set back by more than a year.
local LONGEST_LEASE = 86400000000
local LONGEST_REJECTION = 259200000000
local LONGEST_AHEAD = 31536000000000
-- The longest period of a limit.
local LONGEST_PERIOD = 10000000000000000
-- A process makes fewer exchanges while one of them is under way.
local MAX_EXCHANGES_AHEAD = 1000000
-- The number of an exchange, and the values of the response.
local STORED_VALUES = 10

local arrivals, leases, waiting, seen, exchanges, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local limit, per, process, exchange = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local first, wanted, queue_step = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local lease, rejected_for, is_known = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10] == '1'
local FIRST_REPORT = 11

local function text(number)
    return string.format('%.0f', number)
end

local function member(number)
    return process .. ':' .. text(number)
end

-- The number of values that were discarded.
local discarded = 0

-- Returns a stored number; nil if there is none, or if it can't be.
local function number_within(value, most)
    local number = tonumber(value)
    if number and number >= 0 and number <= most then
        return number
    end
    discarded = discarded + (value and 1 or 0)
    return nil
end

-- Discards the members of a sorted set whose times can't be.
local function discard_later(key, latest)
    discarded = discarded + redis.call('ZREMRANGEBYSCORE', key, '(' .. text(latest), '+inf')
end

-- A copy of an exchange, which may come late, must change nothing: the requests that it has leased may be in flight, and a later
-- exchange may have reported their ends. The process may have missed the response to the first copy, so it is returned again.
local last, stored_last = {}, redis.call('HGET', exchanges, process)
for value in string.gmatch(stored_last or '', '%S+') do
    last[#last + 1] = number_within(value, LONGEST_PERIOD)
end
if stored_last and (#last ~= STORED_VALUES or last[1] > exchange + MAX_EXCHANGES_AHEAD) then
    last = {}
    discarded = discarded + 1
end
if last[1] == exchange then
    table.remove(last, 1)
    return last
end
if last[1] and last[1] > exchange then
    return redis.error_reply('a later exchange of this process has come before this one')
end

-- The time.
local stored = redis.call('HMGET', state, 'now', 'ahead', 'longest', 'rejected', 'sizes')
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local earliest = (number_within(stored[1], clock + LONGEST_AHEAD) or 0) + 1
local ahead_of_clock = math.max(number_within(stored[2], LONGEST_AHEAD) or 0, earliest - clock)
local now = clock + ahead_of_clock
local longest = math.max(number_within(stored[3], LONGEST_PERIOD) or 0, per)
local rejected_until = number_within(stored[4], now + LONGEST_REJECTION) or 0

-- Keys that have vanished. Only this script removes members, and the last exchange has stored how many there are.
local has_lost = is_known and not (stored_last and stored[1] and redis.call('ZSCORE', seen, process))
local stored_at, sizes = string.match(stored[5] or '', '^(%S+) (.+)$')
if stored_at and stored_at == stored[1] then
    local counted = { arrivals, leases, waiting }
    for size in string.gmatch(sizes, '%S+') do
        local key = table.remove(counted, 1)
        has_lost = has_lost or (key and size ~= '0' and redis.call('EXISTS', key) == 0)
    end
end

discard_later(arrivals, now + lease)
discard_later(leases, now + LONGEST_LEASE + lease)
discard_later(waiting, now)
discard_later(seen, now)

-- The score below or at which a request no longer counts.
local function over(period)
    return text(now - period)
end

-- Reports.
for index = FIRST_REPORT, #ARGV, 3 do
    local request, outcome, offset = member(tonumber(ARGV[index])), ARGV[index + 1], tonumber(ARGV[index + 2])
    redis.call('ZREM', leases, request)
    -- It is there if its lease has ended before the report came.
    redis.call('ZREM', arrivals, request)
    if outcome == 'flight' then
        redis.call('ZADD', leases, text(now + offset), request)
    elseif outcome == 'arrives' then
        redis.call('ZADD', arrivals, text(now + offset), request)
    end
end
-- A lease that has ended without a report is of a process that was killed.
local ended_leases = redis.call('ZRANGEBYSCORE', leases, '-inf', text(now), 'WITHSCORES')
for index = 1, #ended_leases, 2 do
    redis.call('ZADD', arrivals, ended_leases[index + 1], ended_leases[index])
    redis.call('ZREM', leases, ended_leases[index])
end

redis.call('ZREMRANGEBYSCORE', arrivals, '-inf', over(longest))
redis.call('ZADD', seen, text(now), process)
local forgotten = text(now - math.max(longest, ACTIVE) - lease)
for _, other in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', forgotten)) do
    redis.call('ZREM', seen, other)
    redis.call('HDEL', exchanges, other)
end

-- The rejection of the key.
if rejected_for > 0 then
    rejected_until = math.max(rejected_until, now + rejected_for)
end
redis.call(
    'HSET', state,
    'now', text(now), 'ahead', text(ahead_of_clock), 'longest', text(longest), 'rejected', text(rejected_until)
)

local in_flight = redis.call('ZCARD', leases)

-- Returns the number of requests that count in a period.
local function count(period)
    return redis.call('ZCOUNT', arrivals, '(' .. over(period), '+inf') + in_flight
end

local used = count(per)

-- The queue. Processes that have not looked again for a while lose their place. One that its own, lower limit blocks can't use the room,
-- so none is kept free for it.
local place, ahead, behind = nil, 0, 0
for _, waiter in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
    local other, other_limit, other_per = string.match(waiter, '^(%S+) (%d+) (%d+)$')
    local is_own = other == process
    local last_seen = tonumber(other and redis.call('ZSCORE', seen, other) or 0)
    if last_seen <= now - WAITER_TIMEOUT or (is_own and queue_step == 'leave') then
        redis.call('ZREM', waiting, waiter)
    elseif is_own then
        place = waiter
    elseif
        (other_limit == ARGV[1] and other_per == ARGV[2])
        or count(tonumber(other_per)) + ahead < tonumber(other_limit)
    then
        ahead = ahead + (place and 0 or 1)
        behind = behind + (place and 1 or 0)
    end
end

local free = limit - used - ahead
local leased = 0
if rejected_until <= now then
    leased = math.max(0, math.min(wanted, free))
    if leased > 1 and behind > 0 then
        leased = math.max(1, math.min(leased, math.floor(free / (behind + 1))))
    end
end
for number = first, first + leased - 1 do
    redis.call('ZADD', leases, text(now + lease), member(number))
end
if leased > 0 and place then
    redis.call('ZREM', waiting, place)
elseif leased == 0 and queue_step == 'join' then
    local since = place and redis.call('ZSCORE', waiting, place) or text(now)
    if place then
        redis.call('ZREM', waiting, place)
    end
    redis.call('ZADD', waiting, since, process .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
end

-- Returns when the request arrives that stops counting after `index` others. One in flight is taken to arrive now.
local ended = redis.call('ZCOUNT', arrivals, '(' .. over(per), text(now))
local function arrival(index)
    if index >= ended and index < ended + in_flight + leased then
        return now
    end
    local skipped = index < ended and index or index - in_flight - leased
    local found =
        redis.call('ZRANGEBYSCORE', arrivals, '(' .. over(per), '+inf', 'WITHSCORES', 'LIMIT', text(skipped), 1)
    return tonumber(found[2] or now)
end
local wait, soonest, resets = 0, 0, 0
if leased == 0 and free <= 0 then
    wait = arrival(math.max(0, used + ahead - limit)) + per - now
end
if used + leased > 0 then
    resets = arrival(math.max(0, used + leased - limit)) + per - now
end
-- If no request in flight comes to count.
local certain = used - in_flight
if certain >= limit then
    local found = redis.call('ZRANGEBYSCORE', arrivals, '(' .. over(per), '+inf', 'WITHSCORES', 'LIMIT', text(certain - limit), 1)
    soonest = tonumber(found[2] or now) + per - now
end

local processes = redis.call('ZCOUNT', seen, '(' .. text(now - math.max(per, ACTIVE)), '+inf')
local response = {
    leased,
    math.max(0, wait),
    math.max(0, soonest),
    used + leased,
    math.max(0, resets),
    math.max(0, rejected_until - now),
    processes,
    discarded,
    has_lost and 1 or 0,
}
local words = { text(exchange) }
for _, value in ipairs(response) do
    words[#words + 1] = text(value)
end
redis.call('HSET', exchanges, process, table.concat(words, ' '))
local sizes_now = { text(now) }
for _, key in ipairs({ arrivals, leases, waiting }) do
    sizes_now[#sizes_now + 1] = text(redis.call('ZCARD', key))
end
redis.call('HSET', state, 'sizes', table.concat(sizes_now, ' '))

local latest = now
for _, key in ipairs({ arrivals, leases }) do
    latest = math.max(latest, tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] or 0))
end
local kept = text(math.ceil((math.max(latest, rejected_until) - now + longest + KEPT) / 1000))
for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, kept)
end
return response
