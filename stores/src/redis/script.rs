//! The Lua scripts, which the server runs atomically.
//!
//! A log is two hashes: one with its end, its time and its summary, and one with its batches by
//! position. A project has the set of its sessions with a log.

/// Appends a batch to a log that has the expected end, or deletes the log.
///
/// Keys: the log, its batches, the sessions of the project. Arguments: the expected end (position,
/// number and writer of the token, `1` if deleted; absent values are empty); the new end (the same
/// four values); the session ID; the batch; the summary or an empty text.
///
/// The batch is written before the end. If the script stopped in between, nothing would refer to
/// the batch.
pub(super) const CHANGE: &str = r"
local log = redis.call('HMGET', KEYS[1], 'position', 'token', 'writer', 'deleted', 'modified')
for number = 1, 4 do
    if (log[number] or '') ~= ARGV[number] then return 0 end
end
local position, token, writer, deleted = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local session, batch, summary = ARGV[9], ARGV[10], ARGV[11]
local time = redis.call('TIME')
local modified = math.max(time[1] * 1000000 + time[2], tonumber(log[5] or '0'))
modified = string.format('%.0f', modified)
if deleted == '' then
    redis.call('HSET', KEYS[2], position, batch)
    redis.call('SADD', KEYS[3], session)
end
redis.call('HSET', KEYS[1], 'position', position, 'token', token, 'writer', writer,
    'deleted', deleted, 'modified', modified, 'summary', summary)
if deleted ~= '' then
    redis.call('HSET', KEYS[1], 'start', position)
    redis.call('SREM', KEYS[3], session)
    redis.call('DEL', KEYS[2])
end
return 1
";

/// Returns the end of a log, and the batches after a position with their positions. Returns at
/// least one batch, and further ones up to a number of bytes.
pub(super) const READ: &str = r"
local log = redis.call('HMGET', KEYS[1], 'position', 'token', 'writer', 'deleted', 'start')
if not log[1] then return false end
local start = log[5] or '0'
local batches, bytes = {}, 0
if log[4] == '' then
    local position = math.max(tonumber(ARGV[1]), tonumber(start))
    local last = tonumber(log[1])
    while position < last and #batches < 2000 do
        position = position + 1
        local field = string.format('%.0f', position)
        bytes = bytes + redis.call('HSTRLEN', KEYS[2], field)
        if bytes > tonumber(ARGV[2]) and #batches > 0 then break end
        table.insert(batches, field)
        table.insert(batches, redis.call('HGET', KEYS[2], field))
    end
end
return {log[1], log[2], log[3], log[4], start, batches}
";
