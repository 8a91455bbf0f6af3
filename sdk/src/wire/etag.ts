const tags = new WeakMap<object, string>()

export function keepTag<T>(data: T, headers: Headers): T {
  const tag = headers.get('etag')
  if (tag !== null && typeof data === 'object' && data !== null) tags.set(data, tag)
  return data
}

/**
 * The ETag of your own poll, campaign, webhook, profile or theme, for `ifMatch`. Pass the very
 * object that a call returned: a copy throws.
 *
 * @example
 * const poll = await tossup.getOwnPoll('tea-or-coffee')
 * await tossup.updatePoll(poll.slug, { title: 'Tea, or coffee?' }, { ifMatch: etagOf(poll) })
 */
export function etagOf(resource: object): string {
  const tag = tags.get(resource)
  if (tag === undefined)
    throw new TypeError(
      'etagOf: pass the object that a call returned, not a copy; only your own polls, campaigns, webhooks, profile and theme have an ETag',
    )
  return tag
}
