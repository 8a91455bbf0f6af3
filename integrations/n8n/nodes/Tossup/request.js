const { randomUUID } = require('node:crypto')

/** One request to the interface, with the message of the service if it refuses. `context` is the `this` of a node. */
exports.request = async function request(context, method, path, { query, body } = {}) {
  const { url } = await context.getCredentials('tossupApi')
  const isWrite = method !== 'GET'
  try {
    return await context.helpers.httpRequestWithAuthentication.call(context, 'tossupApi', {
      method,
      url: `${url.replace(/\/+$/, '')}/api/rest/v1${path}`,
      headers: isWrite ? { 'X-Service-Idempotency-Key': randomUUID() } : {},
      qs: query ?? {},
      ...(body && { body }),
      json: true,
    })
  } catch (error) {
    throw told(error)
  }
}

/** n8n wraps the answer in one of two ways, by version. */
function told(error) {
  const answer = (error.response ?? error.cause?.response)?.data?.error
  if (!answer) return error
  const fields = answer.details?.fields ?? []
  const lines = [answer.message, ...fields.map(({ path, message }) => `${path}: ${message}`)]
  return Object.assign(new Error(lines.join(' ')), { code: answer.code, fields })
}

const EVENTS = [
  ['poll.opened', 'A poll opened'],
  ['poll.closed', 'A poll closed, with its result'],
  ['poll.milestone', 'A poll reached 10, 100, 1,000 votes and so on'],
  ['poll.integrity_alert', 'The votes of a poll are conspicuous'],
  ['poll.created', 'A poll was created'],
  ['poll.updated', 'A poll was changed'],
  ['poll.deleted', 'A poll was deleted'],
  ['campaign.created', 'A campaign was created'],
  ['campaign.updated', 'A campaign was changed'],
  ['campaign.deleted', 'A campaign was deleted'],
]

exports.eventsField = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  options: EVENTS.map(([value, name]) => ({ name, value })),
  default: ['poll.closed'],
  required: true,
}
