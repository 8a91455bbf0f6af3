// Runs on the pages of the docs: the search.
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, stemOf, WORD } from '../search-options.ts'

const MAX_HITS = 12
const SNIPPET = 140

const search = document.querySelector('.search')
const input = search.querySelector('input')
const hits = search.querySelector('.hits')
const told = search.querySelector('[role=status]')
let index = null

/** The index, loaded when the field is used for the first time; a failure is tried again at the next letter. */
async function load() {
  index ??= fetchIndex()
  try {
    return await index
  } catch (error) {
    index = null
    throw error
  }
}

async function fetchIndex() {
  const response = await fetch(input.dataset.index)
  if (!response.ok) throw new Error(`the index answered ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS)
}

function element(name, ...children) {
  const made = document.createElement(name)
  made.append(...children)
  return made
}

/** The words around the first that was found. */
function snippetOf({ words, terms }) {
  const found = [...words.matchAll(WORD)].find(([word]) => terms.includes(stemOf(word)))
  if (!found) return element('small', words.slice(0, SNIPPET))
  const { 0: word, index: from } = found
  const start = Math.max(0, from - 40)
  const before = `${start > 0 ? '…' : ''}${words.slice(start, from)}`
  return element('small', before, element('mark', word), words.slice(from + word.length, start + SNIPPET))
}

function linkTo(hit) {
  const beside = hit.heading === hit.page ? [] : [element('span', hit.page)]
  const link = element('a', element('b', hit.heading), ...beside, snippetOf(hit))
  link.href = hit.id
  return link
}

function hide() {
  hits.hidden = true
  told.textContent = ''
}

/** Shows what the field asks for. Answers in the order of the letters, also while the index is still loading. */
async function find() {
  if (input.value.trim() === '') return hide()
  try {
    const loaded = await load()
    if (input.value.trim() === '') return hide()
    const found = loaded.search(input.value).slice(0, MAX_HITS)
    hits.replaceChildren(...found.map(linkTo))
    if (found.length === 0) hits.append(element('p', 'Nothing found. Try fewer or other words.'))
    told.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found. Arrow down leads to them.`
  } catch {
    hits.replaceChildren(element('p', 'The search could not be loaded. Type again to retry.'))
    told.textContent = 'The search could not be loaded.'
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
  stops[stops.indexOf(document.activeElement) + step]?.focus()
}

search.hidden = false
input.addEventListener('input', find)
input.addEventListener('click', find)
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
