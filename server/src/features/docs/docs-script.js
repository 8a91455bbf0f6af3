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
const told = search?.querySelector('[role=status]')
let index = null
let attempts = 0

/** The ranking and the index, loaded when the field is used for the first time; a failure is tried again at the next letter. */
async function load() {
  index ??= Promise.all([import(`${input.dataset.ranking}#${attempts}`), fetchList()]).then(([ranking, list]) => ({
    ...ranking,
    prepared: ranking.readRows(list),
  }))
  try {
    return await index
  } catch (error) {
    index = null
    // A browser may remember that a module did not load: another fragment is another module.
    attempts++
    throw error
  }
}

async function fetchList() {
  const response = await fetch(input.dataset.index)
  if (!response.ok) throw new Error(`the index answered ${response.status}`)
  return response.json()
}

function element(name, text, children = []) {
  const made = document.createElement(name)
  if (text) made.textContent = text
  made.append(...children)
  return made
}

function snippetOf(words, place) {
  if (!place) return element('small', words.slice(0, SNIPPET))
  const [from, to] = place
  const start = Math.max(0, from - 40)
  const before = `${start > 0 ? '…' : ''}${words.slice(start, from)}`
  return element('small', '', [before, element('mark', words.slice(from, to)), words.slice(to, start + SNIPPET)])
}

function linkTo(row, place) {
  const { address, page, heading, words } = row
  const isPage = heading === page
  const beside = isPage ? [] : [element('span', page)]
  const link = element('a', '', [element('b', heading), ...beside, snippetOf(words, place)])
  link.href = address
  return link
}

function say(text) {
  told.textContent = text
}

function hide() {
  hits.hidden = true
  say('')
}

/** Shows what the field asks for. Answers in the order of the letters, also while the index is still loading. */
async function find() {
  if (input.value.trim() === '') return hide()
  try {
    const { rank, placeIn, prepared } = await load()
    const query = input.value
    if (query.trim() === '') return hide()
    const found = rank(prepared, query).slice(0, MOST_HITS)
    hits.replaceChildren(...found.map((row) => linkTo(row, placeIn(row, query))))
    if (found.length === 0) hits.append(element('p', 'Nothing found. Try fewer or other words.'))
    say(found.length === 0 ? 'Nothing found' : `${found.length} found. Arrow down leads to them.`)
  } catch {
    hits.replaceChildren(element('p', 'The search could not be loaded. Type again to retry.'))
    say('The search could not be loaded.')
  }
  hits.scrollTop = 0
  hits.hidden = false
}

/** Enter may come before the index has. */
async function openFirst() {
  await find()
  hits.querySelector('a')?.click()
}

/** Moves the focus through the field and the hits, as in a list. */
async function move(step) {
  if (hits.hidden) await find()
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
      void move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter' && event.target === input) {
      event.preventDefault()
      void openFirst()
    } else if (event.key === 'Escape') {
      input.focus()
      hide()
    }
  })
  hits.addEventListener('click', (event) => {
    if (event.target.closest('a')) hide()
  })
  input.addEventListener('click', find)
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !search.contains(relatedTarget)) hide()
  })
  // A press outside of the list closes it, as it does for menus.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!search.contains(target)) hide()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}
