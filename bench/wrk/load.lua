-- The load of one run: reads of one path, votes on a list of polls, or both mixed. Each vote is by a new device.
-- Arguments: run (8 hex digits), reads and votes (how many of each in a row), readPath,
-- votePaths (comma-separated), etag, most (votes to stop after).

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

sent = 0

function init(args)
  local plan = {}
  for _, arg in ipairs(args) do
    local name, value = arg:match('^(%w+)=(.*)$')
    if name then plan[name] = value end
  end
  run = plan.run
  votes_in_turn = tonumber(plan.votes)
  turn = tonumber(plan.reads) + votes_in_turn
  most = tonumber(plan.most or '0')
  at = 0

  local host = 'Host: ' .. wrk.headers['Host'] .. '\r\n'
  if plan.readPath then
    local etag = plan.etag and ('If-None-Match: ' .. plan.etag .. '\r\n') or ''
    read = 'GET ' .. plan.readPath .. ' HTTP/1.1\r\n' .. host .. etag .. '\r\n'
  end
  heads = {}
  for path in (plan.votePaths or ''):gmatch('[^,]+') do
    heads[#heads + 1] = 'POST ' .. path .. ' HTTP/1.1\r\n' .. host
      .. 'Content-Type: application/json\r\nContent-Length: 14\r\nX-Device-Id: '
  end
  math.randomseed(tonumber(run, 16))
end

-- The first digits are random, so that devices do not arrive in the order of an index; the last ones never repeat.
local function vote()
  sent = sent + 1
  -- wrk itself would sleep on until its time is over: the program that started it is told, and interrupts it.
  if sent == most then
    wrk.thread:stop()
    io.stderr:write('enough\n')
  end
  local device = string.format('%08x-%s-4%03x-8000-%012x', math.random(0, 4294967295), run:sub(1, 4),
    tonumber(run:sub(5, 7), 16), sent)
  local option = sent % 5 < 3 and 'A' or 'B'
  return heads[(sent - 1) % #heads + 1] .. device .. '\r\n\r\n{"option":"' .. option .. '"}'
end

function request()
  at = at + 1
  if (at - 1) % turn < votes_in_turn then return vote() end
  return read
end

function done(summary, latency)
  local votes_sent = 0
  for _, thread in ipairs(threads) do votes_sent = votes_sent + thread:get('sent') end
  local errors = summary.errors
  io.write(string.format(
    'load {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"votesSent":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, votes_sent,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
