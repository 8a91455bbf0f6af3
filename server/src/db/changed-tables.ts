/** The tables that scripts touch, apart from those that they only read. */
export interface ChangedTables {
  /** Altered, indexed or written. */
  readonly changed: readonly string[]
  /** Only referenced by foreign keys of new tables. */
  readonly referenced: readonly string[]
}

const CHANGES = [
  /\balter table (\w+)/g,
  /\bdrop table (\w+)/g,
  /\bindex \w+ on (\w+)/g,
  /\bupdate (\w+)\s+set\b/g,
  /\binsert into (\w+)/g,
  /\bdelete from (\w+)/g,
]
/** The body of a function changes nothing until the function is called. */
const BODIES = /\$\$.*?\$\$/gs
const REFERENCES = /\breferences (\w+)/g

/** Votes lock their polls first: who holds `polls` meets no vote that holds anything else. */
const FIRST = 'polls'

/** The tables that a migration has to lock, in the order in which to lock them. */
export function changedTables(scripts: readonly string[]): ChangedTables {
  const text = scripts.join('\n').replaceAll(/--.*/g, '').replaceAll(BODIES, '')
  const changed = namesIn(text, CHANGES)
  const referenced = namesIn(text, [REFERENCES]).filter((name) => !changed.includes(name))
  return { changed, referenced }
}

const namesIn = (text: string, patterns: readonly RegExp[]): string[] => {
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  return [...new Set(found)].sort((left, right) => rankOf(left) - rankOf(right) || (left < right ? -1 : 1))
}

const rankOf = (name: string): number => (name === FIRST ? 0 : 1)
