// Runs on the pages of the docs: the copy buttons and the search.

const MOST_HITS = 12
const SNIPPET = 140

for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code').textContent
    await navigator.clipboard.writeText(code)
    const words = button.textContent
    button.textContent = button.dataset.copied
    button.disabled = true
    setTimeout(() => {
      button.textContent = words
      button.disabled = false
    }, 2000)
  })
}

const search = document.querySelector('.search')
const input = search?.querySelector('input')
const hits = search?.querySelector('.hits')
let rows = null

/** Loaded when the field is used for the first time; a failure is tried again at the next letter. */
async function load() {
  rows ??= fetchRows()
  try {
    return await rows
  } catch (error) {
    rows = null
    throw error
  }
}

async function fetchRows() {
  const response = await fetch(input.dataset.index)
  if (!response.ok) throw new Error(`the index answered ${response.status}`)
  const list = await response.json()
  return list.map(([address, page, heading, words]) => ({
    address,
    page,
    heading,
    words,
    inHeading: heading.toLowerCase(),
    inPage: page.toLowerCase(),
    inWords: words.toLowerCase(),
  }))
}

/** Where a word begins in a text: at the start of a word, or else anywhere; -1 if nowhere. */
function placeOf(text, word) {
  let place = text.indexOf(word)
  const first = place
  while (place > 0 && /[\p{L}\p{N}]/u.test(text[place - 1])) place = text.indexOf(word, place + 1)
  return place < 0 ? { at: first, isStart: false } : { at: place, isStart: true }
}

/** 0 unless each word of the query is found. Headings count more than text, and starts of words more than parts. */
function scoreOf(row, words) {
  let score = 0
  for (const word of words) {
    const places = [
      [placeOf(row.inHeading, word), 12],
      [placeOf(row.inPage, word), 5],
      [placeOf(row.inWords, word), 2],
    ]
    const found = places.filter(([{ at }]) => at >= 0)
    if (found.length === 0) return 0
    for (const [{ isStart }, weight] of found) score += isStart ? weight : weight / 4
  }
  return row.inHeading === words.join(' ') ? score + 20 : score
}

function element(name, text, children = []) {
  const made = document.createElement(name)
  if (text) made.textContent = text
  made.append(...children)
  return made
}

function snippetOf({ words, inWords }, word) {
  const { at } = placeOf(inWords, word)
  if (at < 0) return element('small', words.slice(0, SNIPPET))
  const start = Math.max(0, at - 40)
  const before = `${start > 0 ? '…' : ''}${words.slice(start, at)}`
  const after = words.slice(at + word.length, start + SNIPPET)
  return element('small', '', [before, element('mark', words.slice(at, at + word.length)), after])
}

function show(query, found) {
  const [first = ''] = query
  const links = found.map((row) => {
    const isPage = row.heading === row.page
    const link = element('a', '', [
      element('b', isPage ? row.page : row.heading),
      ...(isPage ? [] : [element('span', row.page)]),
      snippetOf(row, first),
    ])
    link.href = row.address
    return link
  })
  hits.replaceChildren(...(links.length > 0 ? links : [element('p', 'Nothing found.')]))
  hits.hidden = false
}

async function find() {
  const query = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (query.length === 0) {
    hits.hidden = true
    return
  }
  try {
    const list = await load()
    const scored = list.map((row) => ({ row, score: scoreOf(row, query) })).filter(({ score }) => score > 0)
    scored.sort((left, right) => right.score - left.score)
    show(
      query,
      scored.slice(0, MOST_HITS).map(({ row }) => row),
    )
  } catch {
    hits.replaceChildren(element('p', 'The search could not be loaded. Type again to retry.'))
    hits.hidden = false
  }
}

/** Moves the focus through the field and the hits, as in a list. */
function move(step) {
  const stops = [input, ...hits.querySelectorAll('a')]
  const next = stops[stops.indexOf(document.activeElement) + step]
  next?.focus()
}

if (search) {
  search.hidden = false
  input.addEventListener('input', find)
  // A failure is told at the first letter.
  input.addEventListener('focus', () => load().catch(() => null))
  search.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter' && event.target === input) {
      hits.querySelector('a')?.click()
    } else if (event.key === 'Escape') {
      hits.hidden = true
      input.focus()
    }
  })
  hits.addEventListener('click', (event) => {
    if (event.target.closest('a')) hits.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}
