/* Reads the public lists of the service, and the links of its pages: without texts and without React. */
;(() => {
  const settings = window.tossupSettings

  /** By the path of a page: what it shows, its element, and where its title is read. */
  const KINDS = {
    p: { kind: 'poll', element: 'tossup-poll', read: 'polls' },
    c: { kind: 'campaign', element: 'tossup-campaign', read: 'campaigns' },
    b: { kind: 'brand', element: 'tossup-feed', read: 'brands' },
  }
  const pathOf = (kind) => Object.keys(KINDS).find((path) => KINDS[path].kind === kind)
  /** A list is read this far: 500 of the newest. */
  const MAX_PAGES = 5
  async function read(path) {
    const answer = await fetch(`${settings.address}/api/rest/v1/${path}`, { credentials: 'omit' })
    const body = await answer.json()
    if (!answer.ok) throw Object.assign(new Error(body.error?.message), { code: body.error?.code })
    return body
  }

  async function readList(path) {
    const rows = []
    let cursor = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, nextCursor } = await read(`${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      rows.push(...data)
      if (!nextCursor) break
      cursor = nextCursor
    }
    return rows
  }

  /** The attributes of a block for a link of our service; null for any other text. */
  function fromLink(text) {
    if (!settings.address || !/^\s*https?:\/\/\S+\s*$/.test(text)) return null
    let url
    try {
      url = new URL(text.trim())
    } catch {
      return null
    }
    const [, path, name] = /^\/([pcb])\/([\w-]{1,128})\/?$/.exec(url.pathname) ?? []
    if (url.origin !== settings.address || !path) return null
    const { searchParams } = url
    const theme = searchParams.get('theme')
    return {
      kind: KINDS[path].kind,
      name,
      title: '',
      link: `${url.origin}/${path}/${name}`,
      ...(['auto', 'light', 'dark'].includes(theme) ? { theme } : {}),
      ...(searchParams.get('source') ? { source: searchParams.get('source') } : {}),
    }
  }

  const chosen = (path, name, title) => ({
    kind: KINDS[path].kind,
    name,
    title,
    link: `${settings.address}/${path}/${name}`,
  })

  const readTitle = async ({ kind, name }) => {
    const { data } = await read(`${KINDS[pathOf(kind)].read}/${encodeURIComponent(name)}`)
    return data.title ?? data.displayName ?? data.name
  }

  const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

  const matches = (text, query) => {
    const words = plain(query).split(/\s+/)
    return words.every((word) => plain(text).includes(word))
  }

  window.tossupService = { KINDS, chosen, fromLink, matches, pathOf, read, readList, readTitle }
})()
